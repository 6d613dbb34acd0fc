"""How long a test waits for what must happen: long enough for a machine that does twenty other things.

A test that waits for something ends as soon as it is there; only one that fails waits this long. No test asserts how long a thing
took: that is for `tests/benchmarks`.
"""

PATIENCE_S = 240.0
PATIENCE_MS = int(PATIENCE_S * 1000)
