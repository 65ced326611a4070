"""Find a Chromium for the browser tests and the screenshots, or install one.

Run: .venv/bin/python -m tools.browser
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
#: No sandbox inside a container, and nothing that would ask the network.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
CURE = "Install Chromium (Debian: apt-get install chromium) or set CHROMIUM to its path."


def find() -> str | None:
    """The path of a Chromium: what CHROMIUM says, one on the path, or the one that playwright keeps."""
    said = os.environ.get("CHROMIUM")
    if said:
        return said
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or _of_playwright()


def _of_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def install() -> str | None:
    """By the system's packages when we may, by playwright otherwise."""
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        apt = ["apt-get", "-o", "DPkg::Lock::Timeout=300"]  # another apt-get may be at work
        packages = ["install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"]
        commands = [[*apt, "update"], [*apt, *packages], *commands]
    for command in commands:
        print("+", *command, file=sys.stderr)
        silent = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}  # asks nothing
        subprocess.run(command, check=False, stdout=sys.stderr, stdin=subprocess.DEVNULL, env=silent)
        found = find()
        if found:
            return found
    return None


def main() -> int:
    path = find() or install()
    if path is None:
        print(f"There is no Chromium, and none could be installed. {CURE}", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
