"""Runs code it distrusts in a container made for it and returns what came of it. Knows no model, no chat."""
