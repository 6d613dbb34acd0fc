"""Deciders about long-term memories: pure functions over values, no I/O, no clock, no store."""
