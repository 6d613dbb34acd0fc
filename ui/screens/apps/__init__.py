"""Apps: one screen whole."""
