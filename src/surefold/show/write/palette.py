"""How shapes look where no style sheet is: Okabe and Ito's hues, and dashes beside them."""

from __future__ import annotations

__all__ = ["SERIES", "look", "standalone"]

LOOKS = {
    "grid": 'stroke="#888" stroke-opacity=".25" fill="none"',
    "tick": 'fill-opacity=".75"',
    "axis": "",
    "words": "",
    "band": 'fill="#0072b2" fill-opacity=".18"',
    "line": 'stroke="#0072b2" stroke-width="2" fill="none"',
    "other": 'stroke="#d55e00" stroke-width="2" stroke-dasharray="6 3" fill="none"',
    "line filled": 'stroke="#0072b2" stroke-width="2" fill="#0072b2" fill-opacity=".15"',
    "other filled": 'stroke="#d55e00" stroke-width="2" stroke-dasharray="6 3" fill="#d55e00" fill-opacity=".12"',
    "reference": 'stroke="#888" stroke-width="1.3" stroke-dasharray="3 3" fill="none"',
    "bar": 'fill="#888" fill-opacity=".45"',
    "whisker": 'stroke="#0072b2" stroke-width="1.4" fill="none"',
    "point": 'fill="#0072b2"',
    "dot": 'fill="#d55e00" stroke="#fff" stroke-width="1.5"',
    "cursor": 'stroke="#d55e00" stroke-width="1.5" fill="none"',
    # of charts with a row a name
    "figure": 'fill-opacity=".85"',
    "shade": 'fill="#888" fill-opacity=".16"',
    "ink": 'stroke="currentColor" stroke-width="1.3" fill="none"',
    "splits": 'stroke="#0072b2" stroke-opacity=".45" stroke-width="4.4" stroke-linecap="round" fill="none"',
    "whisker2": 'stroke="#d55e00" stroke-width="1.4" fill="none"',
    "whisker3": 'stroke="#888" stroke-width="1.4" fill="none"',
    "whisker wide": 'stroke="#0072b2" stroke-opacity=".25" stroke-width="7" fill="none"',
    "whisker2 wide": 'stroke="#d55e00" stroke-opacity=".25" stroke-width="7" fill="none"',
    "whisker3 wide": 'stroke="#888" stroke-opacity=".25" stroke-width="7" fill="none"',
    "faint": 'stroke="#888" stroke-opacity=".3" stroke-width=".8" fill="none"',
    "point2": 'fill="#d55e00"',
    "hollow": 'stroke="#888" stroke-width="1.4" fill="none"',
    "joined": 'stroke="#d55e00" stroke-width="2.6" fill="none"',
}
#: Lines of one chart, told apart by hue and by dashes.
SERIES = (
    ("#0072b2", ""),
    ("#d55e00", "7 3"),
    ("#007f5f", "2 2.5"),
    ("#a0508a", "9 3 2 3"),
    ("#7a6000", "4 2"),
    ("#666666", "1 3"),
)
for _i, (_hue, _dashes) in enumerate(SERIES):
    _dashed = f' stroke-dasharray="{_dashes}"' if _dashes else ""
    LOOKS |= {
        f"series s{_i}": f'stroke="{_hue}" stroke-width="2"{_dashed} fill="none"',
        f"area s{_i}": f'fill="{_hue}" fill-opacity=".14"',
        f"sure s{_i}": f'fill="{_hue}" fill-opacity=".5"',
        f"ends-of s{_i}": f'stroke="{_hue}" stroke-width="1.2" stroke-opacity=".8" fill="none"',
        f"marks s{_i}": f'fill="{_hue}"',
        f"name s{_i}": "",  # in the colour of all text, which is read on any paper
    }


def standalone(kind: str) -> str:
    """The attributes of a kind of shape."""
    return LOOKS[kind]


def look(kind: str, page: bool) -> str:
    """How a kind of mark looks: by the page's style sheet, or by itself."""
    return f'class="{kind}"' if page else standalone(kind)
