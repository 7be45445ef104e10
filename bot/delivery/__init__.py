"""From a run's outcome to what its person sees, receipt by receipt."""
