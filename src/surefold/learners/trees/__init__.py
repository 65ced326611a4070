"""How trees are grown, walked, cut back and printed, compiled and in plain Python."""
