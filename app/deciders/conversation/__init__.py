"""Deciders about what is said: whose words they are."""
