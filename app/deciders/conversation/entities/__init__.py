"""Entities of a message: what a person names."""
