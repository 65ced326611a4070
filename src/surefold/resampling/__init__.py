"""Rows -> splits -> held-out predictions, kept: train once, ask anything."""
