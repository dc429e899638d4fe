"""Intel and AMD x86 CPUs."""
