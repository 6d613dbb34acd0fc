"""Deciders about what is said: whose words, entities, references, intents, boundaries, titles, outcomes."""
