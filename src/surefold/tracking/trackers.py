"""Trackers of experiments: MLflow, Weights & Biases, DVC."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from surefold.errors import InputError, MissingExtraError, UnknownNameError
from surefold.tracking.metrics import metrics_of

if TYPE_CHECKING:
    from surefold.shown import Shown, Tracker

__all__ = ["logged"]


def logged(result: Shown, tracker: Tracker, path: str | PathLike[str] | None, prefix: str) -> dict[str, float]:
    """The figures, logged. `path` is of the page, or for DVC of the file of figures."""
    if tracker not in ("mlflow", "wandb", "dvc"):
        raise UnknownNameError("tracker", tracker, ("mlflow", "wandb", "dvc"))
    figures = {f"{prefix}{name}": value for name, value in metrics_of(result).items()}
    if tracker == "dvc":
        text = json.dumps(figures, indent=1)
        Path("metrics.json" if path is None else path).write_text(f"{text}\n", encoding="utf-8")
        return figures
    page = None if path is None else result.report(path)
    try:
        (_to_mlflow if tracker == "mlflow" else _to_wandb)(figures, page)
    except ImportError as error:
        if getattr(error, "name", None) != tracker:
            raise
        raise MissingExtraError(tracker, tracker, f"log_to({tracker!r})") from error
    return figures


def _to_mlflow(figures: dict[str, float], page: Path | None) -> None:
    import mlflow

    mlflow.log_metrics(figures)
    if page is not None:
        mlflow.log_artifact(str(page))


def _to_wandb(figures: dict[str, float], page: Path | None) -> None:
    import wandb

    if wandb.run is None:
        raise InputError("bad_option", "no run of wandb is active", cure="call wandb.init(project=...) first")
    wandb.log(figures)
    if page is not None:
        wandb.save(str(page), policy="now")
