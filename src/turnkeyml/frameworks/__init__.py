"""Kinds of live models: one folder per framework behind one small interface."""
