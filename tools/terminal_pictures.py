"""Take pictures of what the terminal shows, at three widths, light and dark, as the commands write it there.

Run: .venv/bin/python -m tools.terminal_pictures [FOLDER]  (needs the Chromium of `make browser`)
"""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, DIMMED_MONOKAI, TerminalTheme
from rich.text import Text

from tools.browser import ARGUMENTS, CURE, find

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "_build" / "terminal"
DATA = "src/surefold/data/breast_cancer.csv"
#: Name, and what is typed after `surefold`.
COMMANDS = {
    "assess": f"assess {DATA} --truth diagnosis --pred logistic --score p_logistic --pos-label malignant",
    "costs": f"assess {DATA} --truth diagnosis --pred logistic --score p_logistic --pos-label malignant"
    " --costs fp=1,fn=20",
    "compare": f"compare {DATA} --truth diagnosis --score p_logistic --score p_naive_bayes --pos-label malignant"
    " --margin 0.01",
    "gate": f"gate {DATA} --truth diagnosis --baseline naive_bayes --candidate logistic --margin 0.01",
    "evaluate": f"evaluate {DATA} --target diagnosis --drop logistic --drop naive_bayes --model bayes --model tree"
    " --folds 5 --repeats 2",
    "select": f"select {DATA} --target diagnosis --quiet",
    "plan": "plan mcnemar --difference 0.02 --disagreement 0.1",
    "measures": "measures",
}
WIDTHS = (60, 80, 120)
THEMES: dict[str, TerminalTheme] = {"light": DEFAULT_TERMINAL_THEME, "dark": DIMMED_MONOKAI}
#: Lines of a picture: what stands below is cut.
MOST_LINES = 60


def shown(typed: str, width: int) -> str:
    """What a terminal of this width is sent: a real one, so that width and colours are the command's own choice."""
    ours, theirs = pty.openpty()
    asked = {**os.environ, "COLUMNS": str(width), "LINES": "50", "TERM": "xterm-256color"}
    asked.pop("NO_COLOR", None)
    call = [sys.executable, "-m", "surefold", *typed.split()]
    running = subprocess.Popen(call, stdout=theirs, stderr=subprocess.DEVNULL, stdin=theirs, env=asked, cwd=ROOT)
    os.close(theirs)
    found = b""
    while running.poll() is None or select.select([ours], [], [], 0.1)[0]:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                found += os.read(ours, 1 << 16)
            except OSError:  # the other end was closed
                break
    os.close(ours)
    return found.decode().replace("\r\n", "\n")


def plain_width(text: str) -> int:
    """The longest line, without what is sent for colours."""
    return max((len(line) for line in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n")), default=0)


def picture(typed: str, width: int, colours: str, browser: Browser, path: Path) -> int:
    """Draw it; the longest line in columns."""
    text = shown(typed, width)
    lines = text.rstrip("\n").split("\n")
    cut = [*lines[:MOST_LINES], f"… {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else lines
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=max(width, 40), file=nowhere, color_system="standard", force_terminal=True)
        console.print(Text.from_ansi("$ surefold " + typed, style="bold"), soft_wrap=False)
        console.print(Text.from_ansi("\n" + "\n".join(cut)), soft_wrap=False)
    drawn = console.export_html(theme=THEMES[colours], inline_styles=True)
    page = browser.new_page(viewport={"width": 24 + 9 * width, "height": 400}, device_scale_factor=1)
    page.set_content(drawn)
    page.add_style_tag(content="body { margin: 12px } pre { font: 14px/1.4 'DejaVu Sans Mono', monospace !important }")
    page.screenshot(path=path, full_page=True)
    page.close()
    return plain_width(text)


def main(folder: str | None = None) -> int:
    """All commands at all widths in both colours; fails where a line is longer than the terminal."""
    out = Path(folder) if folder else OUT
    out.mkdir(parents=True, exist_ok=True)
    found = find()
    if found is None:
        print(CURE, file=sys.stderr)
        return 1
    wide = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=found, args=ARGUMENTS)
        for name, typed in COMMANDS.items():
            for width in WIDTHS:
                for colours in THEMES:
                    longest = picture(typed, width, colours, browser, out / f"{name}-{width}-{colours}.png")
                if longest > width:
                    wide.append(f"{name} at {width} columns: a line of {longest}")
        browser.close()
    print(f"{len(COMMANDS) * len(WIDTHS) * len(THEMES)} pictures in {out}", *wide, sep="\n")
    return 1 if wide else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
