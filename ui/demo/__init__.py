"""The example: two weeks of invented work, so that every screen can be tried."""
