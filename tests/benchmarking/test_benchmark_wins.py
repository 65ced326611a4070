"""Wins, ties and losses over data sets, and the laws that a comparison over them keeps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import ShuffleSplit

from surefold.benchmarking.benchmark import benchmark
from surefold.benchmarking.result import Benchmark
from surefold.errors import UnknownNameError
from surefold.learners import FullBayes, NaiveBayes

# wins, ties and losses


def test_wins_ties_and_losses_by_hand():
    # b wins twice, a once, one tie; within .02 the second win of b (.01) is a tie too
    c = Benchmark.of_table({"a": [0.9, 0.8, 0.70, 0.6], "b": [0.8, 0.9, 0.71, 0.6]}).compare()
    assert c.win_tie_loss["a", "b"] == (1, 1, 2)
    assert c.win_tie_loss.totals("b") == (2, 1, 1)
    assert c.win_tie_loss.clear is None
    near = Benchmark.of_table({"a": [0.9, 0.8, 0.70, 0.6], "b": [0.8, 0.9, 0.71, 0.6]})
    assert near.compare(rope=0.02, ties="rope").win_tie_loss["a", "b"] == (1, 2, 1)
    assert near.compare(rope=0.01, ties="rope").win_tie_loss["a", "b"] == (1, 2, 1)  # .71 - .70 is .01, and not more
    losses = Benchmark.of_table({"a": [0.9, 0.8], "b": [0.8, 0.9]}, measure="error_rate").compare()
    assert losses.win_tie_loss["a", "b"] == (1, 0, 1)
    with pytest.raises(UnknownNameError, match="model"):
        c.win_tie_loss["a", "z"]


def test_clear_wins_are_those_of_the_study_of_each_data_set():
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], 100)
    datasets = {}
    for place in range(3):  # a class is a ring around the other: a mean says nothing, a spread all
        X = rng.normal(size=(200, 2)) * np.where(y, 1.0, 4.0)[:, None]
        datasets[f"ring {place}"] = (X if place else rng.normal(size=(200, 2)), y)
    models = {"full": FullBayes(), "none": DummyClassifier(), "naive": NaiveBayes()}
    b = benchmark(models, datasets, folds=5, repeats=2, random_state=0)
    c = b.compare("error_rate")
    counts = c.win_tie_loss
    expected = sum(b.studies[name].compare("error_rate")["full", "none"].status == "better" for name in datasets)
    assert counts.tested == 3
    assert counts.clear is not None
    assert counts.clear[0, 1] == expected == 2
    assert counts.clear[1, 0] == 0
    assert "clear wins" in str(c)
    assert c.to_dict()["win_tie_loss"]["clear_wins"] == counts.clear.tolist()


def test_without_several_folds_no_win_is_called_clear():
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], 20)
    datasets = {name: (rng.normal(size=(40, 2)) + y[:, None], y) for name in "abc"}
    once = benchmark({"full": FullBayes(), "naive": NaiveBayes()}, datasets, cv=ShuffleSplit(1), random_state=0)
    counts = once.compare().win_tie_loss
    assert (counts.clear, counts.tested) == (None, 0)
    assert sum(counts["full", "naive"]) == 3


# laws


EIGHTHS = st.integers(0, 6).map(lambda x: x / 8)


@st.composite
def tables(draw):
    n, k = draw(st.integers(2, 12)), draw(st.integers(2, 5))
    return np.array(draw(st.lists(st.lists(EIGHTHS, min_size=k, max_size=k), min_size=n, max_size=n)))


@settings(deadline=None, max_examples=60)
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_models_and_data_sets_does_not_matter(table, random):
    n, k = table.shape
    columns, lines = list(range(k)), list(range(n))
    random.shuffle(columns)
    random.shuffle(lines)
    names = [f"m{i}" for i in range(k)]
    c = Benchmark.of_table(table, models=names).compare(rope=0.1)
    other = Benchmark.of_table(table[lines][:, columns], models=[names[i] for i in columns]).compare(rope=0.1)
    assert other.average_ranks == pytest.approx(c.average_ranks)
    for (first, second), p in c.p_values.items():
        pair = other[first, second]
        assert pair.adjusted_p == pytest.approx(p)
        assert pair.status == c[first, second].status
        assert c[second, first].rank_difference == -c[first, second].rank_difference
        assert other.win_tie_loss[first, second] == c.win_tie_loss[first, second]
    assert {frozenset(group) for group in other.cliques} == {frozenset(group) for group in c.cliques}


@settings(deadline=None, max_examples=60)
@given(tables())
def test_lower_is_better_turns_everything(table):
    up, down = Benchmark.of_table(table).compare(), Benchmark.of_table(-table, better="lower").compare()
    assert up.average_ranks == down.average_ranks
    assert up.p_values == down.p_values
    assert up.win_tie_loss.wins.tolist() == down.win_tie_loss.wins.tolist()
    first, second = up.models[:2]
    wins, ties, losses = up.win_tie_loss[first, second]
    assert wins + ties + losses == len(table)


def test_posteriors_swap_and_turn():
    rng = np.random.default_rng(0)
    b = Benchmark.of_table(rng.normal(size=(12, 3)) + 0.3 * np.arange(3)[::-1])
    c = b.compare()
    turned = Benchmark.of_table(-b.table().values, better="lower").compare()
    assert turned.posterior("model 1", "model 2") == c.posterior("model 1", "model 2")
    there, back = c.posterior("model 1", "model 2"), c.posterior("model 2", "model 1")
    assert (there.worse, there.same, there.better) == (back.better, back.same, back.worse)
