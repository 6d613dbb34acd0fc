"""What the app does with what waits for the person, so that it asks little."""
