"""How values of the engine are said to people."""
