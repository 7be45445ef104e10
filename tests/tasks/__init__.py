"""Ten jobs as people write them, each with what its result must hold, checked in the files that came out."""
