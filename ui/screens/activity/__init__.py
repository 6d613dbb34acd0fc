"""Activity: one screen whole."""
