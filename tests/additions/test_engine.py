"""An engine is added by one file: calls and commands know its name, and every figure is that of the others."""

from __future__ import annotations

import json

from .conftest import Tree

#: Parts in threads, all at once: a toy, for memory holds as many parts as there are threads.
ENGINE = '''
    """Threads: every part at once."""

    from concurrent.futures import ThreadPoolExecutor

    from surefold.engines.engine import Engine
    from surefold.engines.local import LocalRows
    from surefold.engines.rows import merged, tally_part


    class ThreadRows(LocalRows):
        """Rows of files."""

        parts_run = 0

        def reduce(self, job, what="rows"):
            with ThreadPoolExecutor() as pool:
                tallies = list(pool.map(lambda part: tally_part(job, part), self.stream.parts))
            ThreadRows.parts_run += len(tallies)
            return merged(tallies)


    ENGINE = Engine("threads", lambda stream, frame, cluster, progress: ThreadRows(stream, progress))
'''

SCRIPT = """
    import json
    import tempfile
    from pathlib import Path

    import numpy as np
    import polars as pl

    import surefold as sf
    from surefold.cli.main import main

    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        for part in range(3):
            y = rng.integers(0, 2, 50)
            table = {"y": y, "p": (0.4 * y + rng.random(50)) / 1.4, "q": (0.2 * y + rng.random(50)) / 1.2}
            pl.DataFrame(table).write_csv(Path(folder) / f"{part}.csv")
        door = {"truth": "y", "pos_label": 1}

        def figures(**engine):
            a = sf.assess_files(folder, score="p", **door, **engine)
            c = sf.compare_files(folder, ["p", "q"], **door, **engine)
            return [a["roc_auc"].low, a["log_loss"].high, a.at(0.5)["mcc"].value, c.differences[0].effect.low]

        say = {"local": figures(), "threads": figures(engine="threads")}
        from surefold.engines.threads import ThreadRows

        say["parts"] = ThreadRows.parts_run
        asked = [folder, "--truth", "y", "--score", "p", "--pos-label", "1", "--engine", "threads", "--quiet"]
        say["command"] = main(["assess", *asked])
        say["parts after it"] = ThreadRows.parts_run
        try:
            sf.assess_files(folder, score="p", engine="thread", **door)
        except sf.UnknownNameError as error:
            say["refusal"] = str(error)
    print(json.dumps(say))
"""


def test_an_engine_is_one_file(with_code: Tree) -> None:
    say = json.loads(with_code("engines/threads.py", ENGINE, SCRIPT).splitlines()[-1])
    assert say["threads"] == say["local"]
    assert say["parts"] >= 9
    assert say["command"] == 0
    assert say["parts after it"] >= say["parts"] + 3
    assert "did you mean 'threads'" in say["refusal"]
