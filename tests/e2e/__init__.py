"""The product as a person starts it: a process of its own, real Docker, real HTTP."""
