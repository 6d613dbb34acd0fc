"""Query in, ranked hits with reasons out."""
