"""The list of memories: model, cards, table, groups."""
