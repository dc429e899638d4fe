"""Comparing outputs. Needs numpy alone."""
