"""Aliases of names that the user guides mention."""
