"""References: what "it", "that", "the button" stand for, or the admission of not knowing."""
