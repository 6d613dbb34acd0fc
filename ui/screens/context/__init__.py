"""Context: one screen whole."""
