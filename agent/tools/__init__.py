"""What a model may call. A tool is a value: its name, its words, its arguments and the function behind it."""
