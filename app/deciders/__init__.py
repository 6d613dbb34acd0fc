"""Pure functions and values: no I/O, no clock, no store, nothing of each other's siblings. Source: DESIGN section 3."""
