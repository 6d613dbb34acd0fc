"""Remanence: the memory of a person's coding assistants. The engine; it never imports Qt."""

__version__ = "0.1.0"
