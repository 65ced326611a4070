"""Figures of results, flat, and where they are logged."""
