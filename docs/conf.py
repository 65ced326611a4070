"""Sphinx settings. Build with `make docs`."""

from surefold._version import __version__

project = "surefold"
author = "The surefold developers"
copyright = "The surefold developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "**/__pycache__"]

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"surefold {__version__}"
autodoc_typehints = "description"
