"""Side by side with peers: the same data, one process, ratios out."""
