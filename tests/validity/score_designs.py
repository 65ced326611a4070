"""Two models' scores of the same rows, many samples at once: simulated pairs, and real models on held-out pools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .tables import SEED

Array = NDArray[np.float64]
#: Truth, and the scores of two models: arrays of samples by rows.
Drawn = tuple[NDArray[np.bool_], Array, Array]
#: Rows of the population that true values are read from.
MANY = 400_000
EFFECT = 1.5


@dataclass(frozen=True)
class Pair:
    """A population of rows that two models score."""

    name: str
    family: str
    n: int
    draw: Callable[[np.random.Generator, int, int], Drawn]

    @property
    def where(self) -> str:
        return f"{self.name}, n={self.n}"


def _spoilt(rng: np.random.Generator, y: NDArray[np.bool_]) -> Array:
    """Log odds on the wrong side: confident errors."""
    return np.asarray(np.where(y, -1.0, 1.0) * (2 + np.abs(rng.normal(size=y.shape))))


def simulated(kind: str, n: int, positives: float, rare: float = 0.0) -> Pair:
    """One of the ways in which two models may differ; `rare` is how many rows of a kind are expected in n."""

    def draw(rng: np.random.Generator, samples: int, rows: int) -> Drawn:
        shape = (samples, rows)
        y = rng.random(shape) < positives
        base = np.log(positives / (1 - positives))
        z = EFFECT * rng.normal(size=shape) + EFFECT**2 * (y - 0.5) + base
        hit = rng.random(shape)
        other = {
            "nested": lambda: np.where(hit < rare / n, _spoilt(rng, y), z + 0.05 * rng.normal(size=shape)),
            "opposite": lambda: np.where(hit > 1 - rare / n, _spoilt(rng, y), z),
            "alike": lambda: z + 0.1 * rng.normal(size=shape),
            "independent": lambda: EFFECT * rng.normal(size=shape) + EFFECT**2 * (y - 0.5) + base,
            "tempered": lambda: 1.5 * z + 0.3,
            "noisier": lambda: 0.7 * z + 0.7 * rng.normal(size=shape),
            "lost subgroup": lambda: np.where(hit < 0.08, base + 0.01 * rng.normal(size=shape), z),
            "heavy tails": lambda: z + 0.5 * rng.standard_t(2, size=shape),
            "rounded": lambda: np.round(2 * (z + 0.3 * rng.normal(size=shape))) / 2,
            "near perfect": lambda: 2.5 * z + rng.normal(size=shape),
        }[kind]()
        first = {
            "opposite": np.where(hit < rare / n, _spoilt(rng, y), z),
            "rounded": np.round(2 * z) / 2,
            "near perfect": 2.5 * z,
        }.get(kind, z)
        return y, expit(first), expit(other)

    name = f"{kind}, {rare:g} rare rows" if rare else kind
    return Pair(f"{name}, {positives:.0%} positive", kind, n, draw)


SIMULATED = ("alike", "independent", "tempered", "noisier", "lost subgroup", "heavy tails", "rounded", "near perfect")


def all_simulated(quick: bool) -> list[Pair]:
    """Every kind, at several sizes and shares; rows that decide from one to twenty."""
    sizes = ((100, 0.5), (300, 0.15)) if quick else ((60, 0.5), (300, 0.5), (300, 0.15), (1000, 0.1))
    found = []
    for n, positives in sizes:
        found += [simulated(kind, n, positives) for kind in SIMULATED]
        found += [simulated("nested", n, positives, rare) for rare in (1, 2, 4, 8, 20)]
        found += [simulated("opposite", n, positives, rare) for rare in (2, 4, 8)]
    return found


# real models, each fitted once; samples are drawn from rows that they have not seen


def _models(seed: int) -> dict[str, Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=2000)),
        "logistic, C 0.1": make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2000)),
        "forest": RandomForestClassifier(50, min_samples_leaf=2, random_state=seed),
        "another forest": RandomForestClassifier(50, min_samples_leaf=2, random_state=seed + 1),
        "boosting": HistGradientBoostingClassifier(max_iter=50, random_state=seed),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
        "naive Bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=seed),
    }


def _data(name: str) -> tuple[Array, NDArray[np.bool_]]:
    from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_hastie_10_2

    if name == "breast cancer":
        x, y = load_breast_cancer(return_X_y=True)
        return x, y == 1
    if name == "digits above four":
        x, y = load_digits(return_X_y=True)
        return x, y >= 5
    if name == "Hastie 10.2":
        x, y = make_hastie_10_2(n_samples=6000, random_state=SEED % 2**31)
        return x, y > 0
    x, y = make_classification(
        6000, 20, n_informative=6, weights=[0.85], flip_y=0.03, class_sep=1.2, random_state=SEED % 2**31
    )
    return x, y == 1


REAL = ("breast cancer", "digits above four", "Hastie 10.2", "15 % positive, wrong labels")
REAL_PAIRS = (
    ("logistic", "forest"),
    ("boosting", "forest"),
    ("forest", "another forest"),
    ("logistic", "logistic, C 0.1"),
    ("neighbours", "logistic"),
    ("naive Bayes", "boosting"),
)


@lru_cache(maxsize=8)
def pool(name: str) -> tuple[NDArray[np.bool_], dict[str, Array]]:
    """Truth and scores of the rows that no model was fitted on."""
    x, y = _data(name)
    order = np.random.default_rng([SEED, 80]).permutation(len(y))
    train, test = order[: len(y) // 3], order[len(y) // 3 :]
    models = _models(SEED % 1000)
    return y[test], {key: m.fit(x[train], y[train]).predict_proba(x[test])[:, 1] for key, m in models.items()}


def real(name: str, models: tuple[str, str], n: int) -> Pair:
    """Two of the models on one of the pools, whose rows are drawn with replacement."""

    def draw(rng: np.random.Generator, samples: int, rows: int) -> Drawn:
        y, scores = pool(name)
        whole = rows >= MANY  # the population is the pool itself
        place = np.arange(len(y))[None] if whole else rng.integers(len(y), size=(samples, rows))
        first, second = (scores[m] for m in models)
        return y[place], first[place], second[place]

    return Pair(f"{name}, {models[0]} and {models[1]}", "real models", n, draw)


def all_real(quick: bool) -> list[Pair]:
    names, pairs = (REAL[1:2], REAL_PAIRS[:3]) if quick else (REAL, REAL_PAIRS)
    return [real(name, models, n) for name in names for models in pairs for n in ((150,) if quick else (100, 400))]
