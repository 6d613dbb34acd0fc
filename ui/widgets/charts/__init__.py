"""Small charts: painted, with their numbers in words."""
