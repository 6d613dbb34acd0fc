"""Pictures of every screen, for the README and for looking at."""
