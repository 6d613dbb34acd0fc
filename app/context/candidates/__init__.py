"""The memories and lines that may go into one context: found by each source, then filtered. `collector` is the entry."""
