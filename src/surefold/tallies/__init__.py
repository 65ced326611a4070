"""Sufficient statistics that add up."""
