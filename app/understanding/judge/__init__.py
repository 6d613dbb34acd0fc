"""The judge's flow: what is asked when, what came back, what is kept of it."""
