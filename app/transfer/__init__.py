"""Files in and out. Today: the one way in which a file that somebody named is written."""
