"""What could be imported from a path goes on being imported from it, wherever it stands now."""

import pickle
from importlib import import_module
from pathlib import Path

import pytest

#: A path and its names a paragraph; lines that go on are indented. Names go with a major version alone.
LISTED = (Path(__file__).parent / "public_names.txt").read_text(encoding="utf-8").replace("\n    ", " ").splitlines()
NAMES = {path: names.split() for path, _, names in (line.partition(": ") for line in LISTED)}


@pytest.mark.parametrize("path", NAMES)
def test_every_name_is_where_it_was(path: str) -> None:
    module = import_module(path)
    assert [name for name in NAMES[path] if not hasattr(module, name)] == []


def test_a_moved_module_is_the_same_module_by_both_paths() -> None:
    assert import_module("surefold.comparison.paired_cases") is import_module("surefold.significance.paired_cases")
    assert import_module("surefold.learners.tree_nodes") is import_module("surefold.learners.trees.nodes")


def test_a_function_named_like_a_moved_module_stays_a_function() -> None:
    import surefold.comparison
    import surefold.studies

    for room, name in ((surefold.comparison, "power"), (surefold.studies, "benchmark")):
        import_module(f"{room.__name__}.{name}")
        assert callable(getattr(room, name))
    import_module("surefold.benchmarking.result")
    import surefold

    assert callable(surefold.benchmark)


def test_a_pickle_that_names_the_earlier_path_loads() -> None:
    from surefold.significance import Posterior

    earlier = pickle.dumps(Posterior, 0).replace(b"surefold.significance.bayesian", b"surefold.comparison.bayesian")
    assert b"comparison" in earlier
    assert pickle.loads(earlier) is Posterior


def test_what_never_was_there_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        import_module("surefold.comparison.no_such_module")
