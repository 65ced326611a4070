"""Charts of results: each described once, in the units of its axes, for every writer that draws."""
