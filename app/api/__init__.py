"""The door: Engine and one class per noun. ui, server and cli know nothing else of app."""
