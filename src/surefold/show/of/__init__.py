"""Descriptions, one file a kind of result."""
