"""The four sizes of one memory, and what they are made of."""
