"""Conversations: one screen whole."""
