"""Gemini CLI: the sessions that it keeps on disk."""
