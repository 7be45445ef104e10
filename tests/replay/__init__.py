"""Whole runs of a model, played again over HTTP."""
