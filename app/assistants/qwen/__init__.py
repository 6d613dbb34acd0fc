"""Qwen Code: the sessions that it keeps on disk."""
