"""Search over what is kept, whatever it is kept as."""
