"""What two screens show of a memory."""
