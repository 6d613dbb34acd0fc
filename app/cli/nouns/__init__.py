"""Commands by noun: one file of its name, imported when it is asked for."""
