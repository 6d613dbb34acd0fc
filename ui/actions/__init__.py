"""The table of actions: what can be done, with which key, when. One file a screen."""
