"""The sandbox beside its peers: the same scripts, one image, one set of flags, one machine, one run."""
