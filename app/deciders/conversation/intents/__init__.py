"""Intents: what a message wants to happen next."""
