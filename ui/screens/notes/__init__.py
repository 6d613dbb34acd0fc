"""Notes of an app, on its card in Apps."""
