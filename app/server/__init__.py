"""The capture socket: HTTP on loopback over Engine."""
