"""Puts our hook into an assistant's configuration, shows it first, and takes it out to the byte."""
