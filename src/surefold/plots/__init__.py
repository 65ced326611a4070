"""Figures by matplotlib, which is imported when the first one is drawn (the extra `plot`)."""
