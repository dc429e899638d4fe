"""From an Input to its Invocations."""
