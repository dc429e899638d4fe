"""One module a library: what it has, and how a script for it reads."""
