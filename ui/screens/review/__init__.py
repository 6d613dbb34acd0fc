"""Review: one screen whole."""
