"""Finding input files, and the invocations in each of them."""
