"""What lies over the window: sheets, popovers, what hangs at the pointer."""
