"""What the commands in scripts/ import."""
