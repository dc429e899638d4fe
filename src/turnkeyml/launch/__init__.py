"""Where an Input is evaluated: always in a process of its own."""
