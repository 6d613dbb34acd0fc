"""One memory with all that is known about it."""
