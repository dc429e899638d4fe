"""Many requests at once: when they arrive, who answers them, and what that says of the latency."""
