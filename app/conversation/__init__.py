"""Deciders about conversations: pure functions over values, no I/O, no clock, no store."""
