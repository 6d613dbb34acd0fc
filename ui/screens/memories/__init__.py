"""Memories: one screen whole."""
