"""What becomes of a message after it was captured, read and kept. Source: DESIGN section 5."""
