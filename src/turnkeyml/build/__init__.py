"""From an Invocation to a Build: stages, sequences, verification."""
