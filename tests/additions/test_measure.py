"""A measure of scores is added by one file: everything else reads its facts."""

from __future__ import annotations

import json

from .conftest import Tree

#: 1 minus the spherical score: what a row loses is 1 - (the probability of its class) / the length of (p, 1 - p).
MEASURE = '''
    """Spherical loss: a proper score between the Brier score and the log loss."""

    import numpy as np

    from surefold.measures.score_measure import Moved, score_measure
    from surefold.tallies.score_groups import ScoreGroups


    def _losses(t: ScoreGroups) -> Moved:
        length = np.hypot(t.score, 1 - t.score)
        return Moved(1 - t.score / length, 1 - (1 - t.score) / length)


    @score_measure(
        reads="probabilities",
        range=(0.0, 1.0),
        better="lower",
        text="mean of 1 - p(true class) / sqrt(p^2 + (1 - p)^2)",
        undefined="there are no rows",
        source="Roby (1965), Journal of Educational Measurement",
        interval="bounded",
        loss=_losses,
    )
    def spherical_loss(t: ScoreGroups) -> float:
        """How far a probability points away from what happened: 0 where it was sure and right."""
        positive, negative = _losses(t)
        return float(t.positive @ positive + t.negative @ negative) / t.total
'''

SCRIPT = """
    import json
    import tempfile
    from pathlib import Path

    import numpy as np
    import polars as pl
    import pytest

    import surefold as sf

    name, rng = "spherical_loss", np.random.default_rng(0)
    y = np.tile([1, 1, 0, 0], 30)
    p = np.clip(0.5 + 0.25 * (2 * y - 1) + rng.normal(0, 0.25, len(y)), 0.01, 0.99).round(3)
    q = np.clip(p + rng.normal(0, 0.2, len(y)), 0.01, 0.99).round(3)
    group = np.repeat(np.arange(30), 4)
    told = lambda e: [e.value, e.low, e.high]
    door = {"pos_label": 1}

    say = {"by hand": told(sf.measure(name, [1, 0], y_score=[0.6, 0.8], **door))}
    a = sf.assess(y, y_score=p, **door)
    say["arrays"] = told(a[name])
    say["grouped"] = told(sf.assess(y, y_score=p, groups=group, **door)[name])
    c = sf.compare(y, {"p": p, "q": q}, measure=name, **door)
    say["difference"] = told(c.differences[0].effect)
    say["gate"] = sf.gate(y, p, q, measure=name, margin=0.5, **door).status
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        pl.DataFrame({"y": y, "p": p, "q": q, "group": group}).write_csv(path)
        say["file"] = told(sf.assess_files(path, truth="y", score="p", **door)[name])
        say["file, grouped"] = told(sf.assess_files(path, truth="y", score="p", groups="group", **door)[name])
        c = sf.compare_files(path, ["p", "q"], truth="y", measure=name, **door)
        say["file, difference"] = told(c.differences[0].effect)
    say["catalogue"] = sf.catalogue[name].better
    say["report"] = name in json.dumps(a.to_dict())

    from docs.measure_page import measures_page

    page = measures_page()
    say["docs"] = page[page.index(f"### {name}") :][:400]
    laws = ["tests/laws/test_moves.py", "-k", name, "-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    say["laws"] = int(pytest.main(laws))
    print(json.dumps(say))
"""


def test_a_measure_of_scores_is_one_file(with_code: Tree) -> None:
    printed = with_code("measures/spherical.py", MEASURE, SCRIPT)
    assert "6 passed" in printed
    say = json.loads(printed.splitlines()[-1])
    assert round(say["by hand"][0], 9) == round((1 - 0.6 / 0.52**0.5 + 1 - 0.2 / 0.68**0.5) / 2, 9)
    for found in ("arrays", "grouped", "difference"):
        value, low, high = say[found]
        assert low < value < high
    assert say["grouped"] != say["arrays"]
    assert say["file"] == say["arrays"]
    assert say["file, grouped"] == say["grouped"]
    assert say["file, difference"] == say["difference"]
    assert say["gate"] == "passed"
    assert say["catalogue"] == "lower"
    assert say["report"]
    assert "Roby (1965)" in say["docs"]
    assert 'sf.measure("spherical_loss"' in say["docs"]
    assert say["laws"] == 0
