"""Deciders about what may be remembered."""
