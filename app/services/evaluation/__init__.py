"""Scorers: labelled rows in, an `Evaluation` out; one file per task of `remanence eval`.

They run the same deciders as the app and know no store. Source: eval/README, metrics.
"""
