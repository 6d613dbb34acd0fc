"""How two statements stand to each other: the same, replaced, contradicted, or another."""
