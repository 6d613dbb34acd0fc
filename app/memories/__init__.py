"""Memories: learned from what was typed, edited, merged, kept in versions, listed."""
