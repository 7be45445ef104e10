"""Skills: instructions that a model reads when it needs them, with scripts that the sandbox can import."""
