"""What the assistant runs: standard library only, nothing of ours imported."""
