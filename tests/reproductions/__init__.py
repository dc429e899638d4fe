"""Reproductions of bugs and gaps elsewhere, without any of our code.

python -m tests.reproductions [ID ...]
"""
