"""Reading along: the question, its state, each reading. Source: UX 4.8b, JUDGE."""
