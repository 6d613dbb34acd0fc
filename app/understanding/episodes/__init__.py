"""Episodes: what a conversation came to, from signs and from what was worded for nothing."""
