"""A model that does whatever it is told by data: what the harness still guarantees then."""
