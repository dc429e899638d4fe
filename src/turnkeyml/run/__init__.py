"""Import paths that plugins with an ``implements`` dictionary use."""
