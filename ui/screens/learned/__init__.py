"""Learned: workflows, code patterns and rules, seen, edited, switched off, put away."""
