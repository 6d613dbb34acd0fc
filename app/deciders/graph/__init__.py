"""What of the graph is shown, and where: pure functions over values."""
