"""What operators use: doctor, backups, health, housekeeping, the sandbox's own commands."""
