"""What runs inside the container. Standard library only, except for what `preload` warms for the scripts."""
