"""Reading along: the question, how it stands, each reading. Source: UX 4.8b, JUDGE."""
