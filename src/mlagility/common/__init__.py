"""See ``turnkeyml.common``."""
