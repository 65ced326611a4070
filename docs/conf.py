"""Sphinx settings. Build with `make docs`."""

import sys
from pathlib import Path

from surefold._version import __version__

sys.path.insert(0, str(Path(__file__).parents[1]))  # for docs.mathml

project = "surefold"
author = "The surefold developers"
copyright = "The surefold developers"
version = release = __version__

extensions = ["myst_parser", "docs.mathml"]
html_math_renderer = "mathml"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "**/__pycache__"]

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"surefold {__version__}"
