"""Broken versions of the project's code, and whether its tests notice."""
