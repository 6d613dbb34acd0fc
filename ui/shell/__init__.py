"""The frame around the screens: rail, strips, notices, palette, sheets."""
