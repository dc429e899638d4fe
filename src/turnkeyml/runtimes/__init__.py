"""One file a runtime, and what is known of the machine."""
