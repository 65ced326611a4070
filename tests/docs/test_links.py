"""Links of the pages: those that are there, and that a broken one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import links
from docs.links import anchors_of, broken_links, pages


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(links.ROOT)))
def test_no_link_is_broken(page: Path) -> None:
    assert list(broken_links(page)) == []


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("[a](other.md)", 0),
        ("[a](missing.md)", 1),
        ("[](other.md#a-part)", 0),
        ("[](other.md#no-part)", 1),
        ("# Here\n\n[a](#here)", 0),
        ("# Here\n\n[a](#there)", 1),
        ("[a](https://example.org/missing.md)", 0),
        ("`[a](missing.md)`", 0),
        ("```text\n[a](missing.md)\n```", 0),
        ("![a](figures/a.png)", 1),
        ('![a](figures/a.png)\n\n```python\nf.savefig("figures/a.png")\n```', 0),
    ],
)
def test_what_is_a_broken_link(text: str, faults: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "ROOT", tmp_path)
    (tmp_path / "other.md").write_text("# Top\n\n## A part\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    found = list(broken_links(page))
    assert len(found) == faults
    assert all(fault.startswith("page.md:") for fault in found)


def test_repeated_headings_are_numbered() -> None:
    assert anchors_of("# A\n\n## B\n\n## B\n\n## B\n") == {"a", "b", "b-1", "b-2"}
