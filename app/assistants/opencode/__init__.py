"""OpenCode: the sessions that it keeps on disk."""
