"""A year at a glance: what was learned, given and corrected, as a page of Activity."""
