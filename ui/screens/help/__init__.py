"""Help: one screen whole."""
