"""What goes into a context, at which level, in which words."""
