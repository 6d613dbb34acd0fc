"""What learns weights from labelled examples."""
