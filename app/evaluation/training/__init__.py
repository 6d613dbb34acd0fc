"""Fits what the deciders weigh by; run by hand after examples changed, never by the app."""
