"""Make many rows of predictions, in parts: python tools/make_rows.py FOLDER --rows 1e7 [--files 4] [--format csv]

Columns: `y` (0 or 1), `pred` (0 or 1), `p` (a probability, single precision), and with --groups and --weights also
`g` and `w`; with --models 2 a second model's `pred2` and `p2`. The same seed gives the same rows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars

BLOCK = 1 << 21


def rows(
    n: int, rng: np.random.Generator, *, decimals: int | None, groups: int, weights: bool, models: int
) -> polars.DataFrame:
    """Scores of two overlapping classes, as a model that is fair but not perfect would give."""
    y = rng.random(n, dtype=np.float32) < 0.3
    shared = rng.standard_normal(n, dtype=np.float32)
    columns: dict[str, object] = {"y": y.astype(np.int8)}
    for m in range(models):
        own = rng.standard_normal(n, dtype=np.float32)
        x = 1.2 * y + 0.8 * shared + 0.6 * own - 1.0 - 0.05 * m
        p = 1 / (1 + np.exp(-1.2 * x))
        p = p.astype(np.float32) if decimals is None else np.round(p.astype(np.float64), decimals)
        end = "" if m == 0 else str(m + 1)
        columns |= {f"pred{end}": (p >= 0.5).astype(np.int8), f"p{end}": p}
    if groups:
        columns["g"] = rng.integers(groups, size=n, dtype=np.int32)
    if weights:
        columns["w"] = rng.integers(1, 4, size=n).astype(np.float32)
    return polars.DataFrame(columns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--format", choices=["parquet", "csv"], default="parquet")
    parser.add_argument("--decimals", type=int, help="round scores to so many decimals")
    parser.add_argument("--groups", type=int, default=0, help="a column g with so many groups")
    parser.add_argument("--weights", action="store_true", help="a column w of weights 1 to 3")
    parser.add_argument("--models", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    o = parser.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    total = int(o.rows)
    facts = {"decimals": o.decimals, "groups": o.groups, "weights": o.weights, "models": o.models}
    for f in range(o.files):
        size = total // o.files + (f < total % o.files)
        path = o.folder / f"part-{f:04d}.{o.format}"
        if o.format == "csv":
            with path.open("wb") as file:
                for start in range(0, size, BLOCK):
                    rng = np.random.default_rng([o.seed, f, start])
                    frame = rows(min(BLOCK, size - start), rng, **facts)
                    frame.write_csv(file, include_header=start == 0)
        else:
            _parquet(path, size, o.seed, f, facts)


def _parquet(path: Path, size: int, seed: int, number: int, facts: dict[str, object]) -> None:
    """One row group a block, so that memory holds one block."""
    import pyarrow.parquet

    writer = None
    for start in range(0, size, BLOCK):
        frame = rows(min(BLOCK, size - start), np.random.default_rng([seed, number, start]), **facts)  # type: ignore[arg-type]
        table = frame.to_arrow()
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=BLOCK // 2)
    if writer is not None:
        writer.close()


if __name__ == "__main__":
    main()
