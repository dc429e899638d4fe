"""From the evaluations in a cache to tables."""
