"""The window: Qt only here. Reaches the engine through app.api."""
