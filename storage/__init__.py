"""What outlives the process: conversations, runs, events, artifacts, checkpoints."""
