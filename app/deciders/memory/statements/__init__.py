"""Statements: what a message says that is worth remembering."""
