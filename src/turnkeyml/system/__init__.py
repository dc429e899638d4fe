"""Information from the operating system: this machine, processes, captured output."""
