"""The derived search index: what waits for it, the index, what is not in it yet."""
