"""Tally -> points."""
