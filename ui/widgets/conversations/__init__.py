"""What two screens show of conversations."""
