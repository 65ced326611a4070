"""Charts as SVG: the same code for the page and for notebooks."""
