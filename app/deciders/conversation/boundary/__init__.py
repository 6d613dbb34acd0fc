"""Boundaries: whether a message opens a new conversation."""
