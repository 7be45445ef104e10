"""Knows people and chat platforms: every sentence that a person reads is made here."""
