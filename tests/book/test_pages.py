"""The book: its data, the code of an example without the rest of its page, notebooks, and what is found."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

from surefold.book import iris
from surefold.book.notebook import notebook_of
from surefold.book.pages import Page, entries, page, page_names, pages_folder
from surefold.book.run import code_of, found, run_entry
from surefold.book.slices import leant_on, statements_of
from surefold.errors import UnknownNameError

PLAIN = {"surefold", "numpy", "scipy", "sklearn", "polars", "matplotlib", *sys.stdlib_module_names}


def test_iris_is_iris() -> None:
    flowers, (X, species) = iris(), load_iris(return_X_y=True)
    assert np.array_equal(flowers.measurements, X)
    assert (flowers.species == load_iris().target_names[species]).all()
    assert (flowers.versicolor == np.where(species == 1, 1, -1)).all()
    parts = PCA(2).fit_transform(X)
    assert np.allclose(np.abs(flowers.components), np.abs(parts), atol=1e-6)
    assert flowers.components[0, 0] > 0  # setosa on the right, as in the sources
    with pytest.raises(ValueError, match="read-only"):
        flowers.sepals[0, 0] = 1


@pytest.mark.parametrize("name", page_names())
def test_a_page_needs_nothing_but_what_is_installed(name: str) -> None:
    for fence in page(name).fences:
        if fence.info != "python":
            continue
        for node in ast.walk(ast.parse(fence.text)):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= PLAIN
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] in PLAIN


@pytest.mark.parametrize("name", page_names())
def test_the_lesson_comes_before_its_checks_which_are_folded(name: str) -> None:
    lines, depth = page(name).text.splitlines(), 0
    for fence in page(name).fences:
        if fence.info == "python" and any(f"{call}(" in fence.text for call in ("beside", "holds")):
            depth = sum(line == "<details>" for line in lines[: fence.start])
            assert depth == 1 + sum(line == "</details>" for line in lines[: fence.start]), fence.start + 1


@pytest.mark.parametrize("name", page_names())
def test_a_page_opens_as_a_notebook(name: str) -> None:
    notebook = json.loads(notebook_of(page(name)))
    code = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [fence.text for fence in page(name).fences if fence.info == "python"] == code[1:]
    for cell in code:
        ast.parse(cell)
    words = "".join(cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    assert "<details>" not in words


TEXT = """# A page

```python
import surefold as sf

a = 1
b = sf.Confusion([[a, 2], [3, 4]])
```

## First

```python
unused = 1 / 0
```

## Second: `it`

```python
c = b.total
holds("one", "claim", lambda x: x == 10, c)
```
"""


def test_only_what_a_check_leans_on_is_run() -> None:
    small = Page("a", TEXT)
    statements, wanted = code_of(small, "one")
    kept = [statements[i].source for i in leant_on(statements, wanted)]
    assert kept[:-1] == ["import surefold as sf", "a = 1", "b = sf.Confusion([[a, 2], [3, 4]])", "c = b.total"]
    assert small.section_of("one") == "Second: `it`"
    with pytest.raises(UnknownNameError):
        small.section_of("two")


@pytest.mark.parametrize(
    ("code", "wanted", "kept"),
    [
        (["x = 1", "x = 2", "print(x)"], {2}, [1, 2]),  # bound anew
        (["x = []", "x.append(1)", "print(x)"], {2}, [0, 1, 2]),  # changed by a method
        (["x = {}", "x['a'] = 1", "y = 2", "print(x)"], {3}, [0, 1, 3]),
        (["def f(): return g()", "def g(): return 1", "print(f())"], {2}, [0, 1, 2]),
        (["import numpy as np", "np.random.rand()", "x = np.pi", "print(x)"], {3}, [0, 2, 3]),
        (["t = 0", "for i in range(3):\n    t += i", "print(t)"], {2}, [0, 1, 2]),
    ],
)
def test_slices(code: list[str], wanted: set[int], kept: list[int]) -> None:
    assert leant_on(statements_of(code), wanted) == kept


#: What a reader with the sources in hand may ask, and an entry that must be among the answers.
LOOKUPS = {
    "22.14": "ex22.14",
    "Example 22.5": "ex22.5",
    "slide 59": "ex22.13",
    "slide 43": "fig22.6",
    "Table 22.7": "tab22.7",
    "kappa": "kappa-formula",
    "Formula 4.13": "wilson",
    "Algorithm 22.4": "alg22.4",
    "rule of thumb": "rule-of-thumb",
    "smoothing": "smoothing",
    "lift": "lift",
    "central limit": "clt",
    "chi-squared": "eq22.10",
    "pruning": "c45",
    "micro": "use-micro",
    "exercise 2": "q22.2",
    "Figure 22.9": "fig22.9",
    "robustness": "robustness",
    "ParameterGrid": "parameter-grid",
    "slip 12": "slip12",
    "signed distance": "svm-score",
    "Oil Slick": "oil",
}


@pytest.mark.parametrize("words", LOOKUPS)
def test_what_a_reader_asks_is_found(words: str) -> None:
    assert LOOKUPS[words] in {entry.check for entry in found(entries(), words)}


def test_every_number_of_the_chapter_finds_its_entry_first() -> None:
    for number in range(1, 15):
        assert found(entries(), f"example 22.{number}")[0].where == f"Example 22.{number}"


@pytest.mark.parametrize("check", ["ex22.2", "ex22.5", "ex22.11", "tan4.4", "sartori-kappa"])
def test_an_example_is_run_with_its_pictures(check: str, tmp_path: Path) -> None:
    entry = next(each for each in entries() if each.check == check)
    shown = run_entry(entry, tmp_path)
    assert "agrees" in shown.text
    assert shown.checks
    assert all(each.passed and each.can_fail for each in shown.checks)
    again = run_entry(entry, tmp_path)
    assert again.pictures == shown.pictures  # the same picture is not written twice
    for picture in shown.pictures:
        picture.write_bytes(b"mine")
    assert not set(run_entry(entry, tmp_path).pictures) & set(shown.pictures)
    assert all(picture.read_bytes() == b"mine" for picture in shown.pictures)


def test_pages_are_where_they_are_said_to_be() -> None:
    assert (pages_folder() / "sources.toml").is_file()
    with pytest.raises(UnknownNameError, match="page of the book"):
        page("../index")
