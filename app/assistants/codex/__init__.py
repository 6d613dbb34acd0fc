"""Codex: what its hooks leave out and its rollout tells."""
