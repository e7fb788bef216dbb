"""Modules of the commands in scripts/."""
