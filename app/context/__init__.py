"""Contexts: what an assistant is given, and when."""
