"""Episodes: what conversations came to, as a time line by project."""
