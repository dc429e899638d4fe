"""What the operating system tells of this machine and of processes."""
