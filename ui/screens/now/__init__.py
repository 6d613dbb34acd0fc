"""Now: one screen whole."""
