"""Evaluations as tables: reports of caches, comparisons, JSON documents."""
