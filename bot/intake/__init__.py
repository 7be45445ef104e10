"""From what adapters tell to requests, answers and presses: stored first, acted on afterwards."""
