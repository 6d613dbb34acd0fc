"""Settings: one screen whole."""
