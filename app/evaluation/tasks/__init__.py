"""Scorers: labelled rows in, an `Evaluation` out; one file per task of `remanence eval`."""
