"""Screens, one folder each: all of it, and nothing that another screen shows too."""
