"""Deciders about what is remembered: statements, slots, contradictions, levels, notes."""
