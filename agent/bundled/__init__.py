"""What a bundle has beside the run's own: the scripts that build, run and compare, and its README."""
