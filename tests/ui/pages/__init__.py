"""Page objects: what a person can do on a screen, in their words."""
