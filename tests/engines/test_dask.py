"""Dask: the same tallies to the last count, also when a worker dies."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import surefold as sf
from surefold.comparison.compare import compare_files
from surefold.engines import dask as dask_engine
from surefold.engines import dask_workers
from surefold.engines.dask_workers import workers_here
from surefold.engines.rows import open_rows
from surefold.errors import InputError, MissingExtraError, RunError
from surefold.inputs.parts import Roles
from surefold.tallies.partial import Partial, Plan
from tests.engines.deadly import Deadly
from tests.road.made_rows import MATRICES, matrix_of, parts_in, rows_of_three
from tools.freeze import changes

PLAN = Plan(Roles("y", ("a",), ("p_a",), None, "g"))


def same_partials(a: Partial, b: Partial) -> None:
    assert a.n == b.n
    for name in ("cells", "clusters"):
        one, other = getattr(a, name), getattr(b, name)
        keys = [c for c in one.columns if c != "rows"]
        assert one.sort(keys).equals(other.sort(keys))
    for x, y in zip(a.scores, b.scores, strict=True):
        assert x is not None
        assert y is not None
        assert (x.classes, x.level) == (y.classes, y.level)
        assert np.array_equal(x.bits, y.bits)
        assert np.array_equal(x.sums, y.sums)


def test_files_give_the_tallies_of_the_local_engine(parquet: Path, client: Any) -> None:
    here = open_rows(parquet).reduce(PLAN)
    there = open_rows(parquet, engine="dask", cluster=client, memory="10MB").reduce(PLAN)
    same_partials(here, there)


@pytest.mark.parametrize("partitions", [1, 7, 30])
def test_a_frame_gives_them_too(partitions: int, rows: polars.DataFrame, parquet: Path, client: Any) -> None:
    import dask.dataframe

    frame = dask.dataframe.from_pandas(rows.to_pandas(), npartitions=partitions)
    same_partials(open_rows(parquet).reduce(PLAN), open_rows(frame, cluster=client).reduce(PLAN))


def test_an_assessment_with_groups_in_two_passes(parquet: Path, client: Any) -> None:
    asked: dict[str, Any] = {"truth": "y", "pred": "a", "score": "p_a", "groups": "g"}
    here, there = (sf.assess(parquet, **asked, **how) for how in ({}, {"engine": "dask", "cluster": client}))
    for name in here.overall:
        assert there[name].value == pytest.approx(here[name].value, nan_ok=True)
        assert there[name].interval == pytest.approx(here[name].interval, nan_ok=True)


def test_a_comparison_in_two_passes(parquet: Path, client: Any) -> None:
    here, there = (
        compare_files(parquet, ["p_a", "p_b"], truth="y", measure="roc_auc", **how)
        for how in ({}, {"engine": "dask", "cluster": client})
    )
    assert there.differences[0].effect.interval == pytest.approx(here.differences[0].effect.interval)


def test_a_frame_is_assessed_compared_and_gated(rows: polars.DataFrame, parquet: Path, client: Any) -> None:
    import dask.dataframe

    frame = dask.dataframe.from_pandas(rows.to_pandas(), npartitions=3)
    a, b = (sf.assess(source, truth="y", score="p_a") for source in (frame, parquet))
    assert a["roc_auc"].interval == pytest.approx(b["roc_auc"].interval, rel=1e-12)
    found, wanted = (sf.compare(source, {"old": "a", "new": "b"}, truth="y") for source in (frame, parquet))
    assert found.differences[0].effect.interval == wanted.differences[0].effect.interval
    asked: dict[str, Any] = {"truth": "y", "measure": "roc_auc", "margin": 0.05}
    one, other = (sf.gate(source, "p_a", "p_b", **asked) for source in (frame, parquet))
    assert one.bounds == pytest.approx(other.bounds, rel=1e-9)


def test_what_workers_run_run_here(rows: polars.DataFrame, parquet: Path) -> None:
    halves = [dask_engine._tally_pandas(PLAN, half.to_pandas(), i) for i, half in enumerate((rows[:70], rows[70:]))]
    same_partials(dask_engine._merged(*halves), open_rows(parquet).reduce(PLAN))
    head = polars.DataFrame(dask_engine._head_columns(rows.to_pandas()))
    assert head.equals(rows[:1000])


def test_progress_in_rows(parquet: Path, client: Any, capsys: pytest.CaptureFixture[str]) -> None:
    open_rows(parquet, engine="dask", cluster=client, progress=True).reduce(PLAN)
    assert "3,000 rows" in capsys.readouterr().err


def test_workers_of_this_machine_end_with_the_call(parquet: Path) -> None:
    from distributed import get_client

    with workers_here() as own:
        assert get_client() is own
        pids = set(own.run(os.getpid).values())
        assert len(pids) == os.cpu_count()
        same_partials(open_rows(parquet, engine="dask").reduce(PLAN), open_rows(parquet).reduce(PLAN))
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_workers_that_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_workers, "START_SECONDS", 0.01)
    with pytest.raises(RunError, match=r"workers did not start within 0\.01 s"), workers_here():
        pass


SCRIPT = """
import surefold as sf
print(sf.assess({path!r}, truth="y", pred="a", engine="dask").n)
"""


def test_a_script_without_a_guard_and_nothing_left_behind(parquet: Path, tmp_path: Path) -> None:
    script, temporary = tmp_path / "script.py", tmp_path / "temporary"
    script.write_text(SCRIPT.format(path=str(parquet)))
    temporary.mkdir()
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, env={**os.environ, "TMPDIR": str(temporary)}, text=True,
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == ("3000\n", "", 0)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["script.py", "temporary"]
    assert list(temporary.iterdir()) == []


def test_complaints_come_through_as_they_are(tmp_path: Path, client: Any) -> None:
    polars.DataFrame({"y": [0, 1, None], "a": [0, 1, 1]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet: column 'y' has missing labels: row 3"):
        sf.assess(tmp_path / "a.parquet", truth="y", pred="a", engine="dask", cluster=client)


def test_a_worker_that_dies_costs_nothing_but_time(parquet: Path, client: Any, tmp_path: Path) -> None:
    marker = tmp_path / "died"
    found = open_rows(parquet, engine="dask", cluster=client).reduce(Deadly(PLAN, 500, str(marker)))
    assert marker.read_text() == "died here"
    same_partials(found, open_rows(parquet).reduce(PLAN))


def test_workers_that_die_again_and_again_are_an_error(parquet: Path, client: Any) -> None:
    scheduler = client.cluster.scheduler
    before, scheduler.allowed_failures = scheduler.allowed_failures, 0
    try:
        with pytest.raises(RunError, match=r"workers died again and again .*\[worker_lost\]"):
            open_rows(parquet, engine="dask", cluster=client).reduce(Deadly(PLAN, 500))
    finally:
        scheduler.allowed_failures = before


def test_no_cluster_there(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_engine, "CONNECT_SECONDS", 0.5)
    with pytest.raises(InputError, match=r"no Dask cluster at tcp://127\.0\.0\.1:9 "):
        open_rows(parquet, engine="dask", cluster="tcp://127.0.0.1:9")


def test_the_extra_is_named_when_it_is_missing(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'dask\[dataframe\]' distributed"):
        open_rows(parquet, engine="dask")


def test_a_frame_wants_its_own_engine(rows: polars.DataFrame) -> None:
    import dask.dataframe

    frame = dask.dataframe.from_pandas(rows.to_pandas(), npartitions=2)
    with pytest.raises(InputError, match="engine='spark' cannot read a frame of dask"):
        open_rows(frame, engine="spark")


def test_columns_that_are_not_used_do_not_matter(rows: polars.DataFrame, parquet: Path, client: Any) -> None:
    import dask.dataframe

    frame = rows.to_pandas()
    frame["beside"] = [1, "two", [3]] * 1000  # polars has no type for this
    frame[7] = 1.0
    found = sf.assess(dask.dataframe.from_pandas(frame, npartitions=3), truth="y", pred="a", weights="7")
    assert found.confusion == sf.assess(parquet, truth="y", pred="a").confusion


def test_odd_columns_of_a_frame_are_refused_as_those_of_arrays(rows: polars.DataFrame, client: Any) -> None:
    import dask.dataframe

    frame = rows[:60].to_pandas()
    frame["a"] = [1, "1"] * 30
    with dask.config.set({"dataframe.convert-string": False}), pytest.raises(InputError, match="mixed_label_types"):
        sf.assess(dask.dataframe.from_pandas(frame, npartitions=2), truth="y", pred="a")
    twice = rows[:60].select("y", "a", "b").to_pandas()
    twice.columns = ["y", "a", "a"]
    partitions = dask.dataframe.from_map(lambda i: twice[i * 20 : i * 20 + 20], range(3), meta=twice[:0])
    with pytest.raises(InputError, match="duplicate_column"):
        sf.assess(partitions, truth="y", pred="a")


def test_empty_partitions_with_weights(rows: polars.DataFrame, client: Any) -> None:
    import dask.dataframe

    frame = dask.dataframe.from_pandas(rows.to_pandas(), npartitions=3)
    frame = dask.dataframe.concat([frame, frame[frame["p_a"] > 2]])
    found = sf.assess(frame, truth="y", pred="a", weights="w")
    assert found["accuracy"].interval == pytest.approx(
        sf.assess(rows["y"], rows["a"], sample_weight=rows["w"])["accuracy"].interval
    )


def test_a_complaint_leaves_nothing_on_the_client(rows: polars.DataFrame, client: Any) -> None:
    import dask.dataframe

    frame = rows[:60].with_columns(polars.when(polars.col("g") > 30).then("a")).to_pandas()
    before = set(client.futures)
    with pytest.raises(InputError, match="missing labels") as complaint:
        sf.assess(dask.dataframe.from_pandas(frame, npartitions=3), truth="y", pred="a")
    assert complaint.value is not None  # it is kept, and with it the frames of the call
    assert {key for key in client.futures if "tally" in str(key) or "merged" in str(key)} <= before


def test_models_of_many_classes_are_compared_on_workers(tmp_path: Path, client: Any) -> None:
    frame = rows_of_three(n=9_000, seed=3, groups=60)
    for first, second, third in (MATRICES["a"], MATRICES["b"]):  # whole hundredths: few enough scores for this memory
        frame = frame.with_columns((polars.col(first, second) * 100).floor() / 100)
        frame = frame.with_columns((1 - polars.col(first) - polars.col(second)).round(2).alias(third))
    source, models = parts_in(tmp_path, frame, (3_000, 3_001)), {m: MATRICES[m] for m in "ab"}
    measures = ["log_loss_multiclass", "roc_auc_ovr", "top_k_accuracy"]
    told = [
        compare_files(source, models, truth="y", measure=measures, groups="g", memory="1MB", engine=engine)
        for engine in ("dask", "local")
    ]
    assert list(changes(told[1].to_dict(), told[0].to_dict())) == []
    held = sf.compare(frame["y"], {m: matrix_of(frame, m) for m in models}, measure=measures, groups=frame["g"])
    for name in measures:
        assert list(changes(held[name].to_dict()["differences"], told[0][name].to_dict()["differences"])) == []
