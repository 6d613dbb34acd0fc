"""Deciders of search and of what is given: pure functions over values."""
