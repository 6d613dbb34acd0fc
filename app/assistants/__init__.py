"""What we know of each assistant: a folder each. Now their histories; their configuration is still `app/connect`."""
