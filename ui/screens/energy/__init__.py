"""The energy of background work, and the figures of notes: a page of Activity."""
