"""The first start: one screen whole."""
