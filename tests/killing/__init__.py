"""`kill -9` at every phase of a message's way, and what must be true afterwards."""
