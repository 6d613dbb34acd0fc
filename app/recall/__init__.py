"""Deciders of recall: words, queries, plans, ranks, explanations. Pure: no store, no clock, no other decider's package."""
