"""Consolidation: named steps that propose actions, a person's yes or no, and what applies and takes them back."""
