"""SQL by noun: what the flows read and write. Knows rows, no flow."""
