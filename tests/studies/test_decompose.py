"""Expected loss taken apart: by hand, by identities that hold for every table of predictions, and by simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from surefold.errors import InputError, UnknownNameError
from surefold.studies import decompose
from surefold.studies.decompose import LOSSES
from surefold.studies.loss import squared_loss, zero_one_loss

# five samples, four rows; the true label of every row is "a"
ANSWERS = np.array([list("aabb"), list("aabb"), list("abbb"), list("abac"), list("accc")])
TRUTH = np.array(list("aaaa"))
# how often a, b and c were answered: row 1: 5 0 0, row 2: 2 2 1, row 3: 1 3 1, row 4: 0 3 2


@st.composite
def tables(draw, labels: str = "abc"):
    samples, rows = draw(st.integers(1, 6)), draw(st.integers(1, 8))
    cells = draw(st.lists(st.sampled_from(labels), min_size=samples * rows, max_size=samples * rows))
    truth = draw(st.lists(st.sampled_from(labels), min_size=rows, max_size=rows))
    return np.array(cells).reshape(samples, rows), np.array(truth)


def test_kohavi_wolpert_by_hand() -> None:
    d = decompose(ANSWERS, TRUTH, loss="kohavi_wolpert")
    bias = [
        0,
        ((1 - 2 / 5) ** 2 + (2 / 5) ** 2 + (1 / 5) ** 2) / 2,
        ((1 - 1 / 5) ** 2 + (3 / 5) ** 2 + (1 / 5) ** 2) / 2,
        (1 + (3 / 5) ** 2 + (2 / 5) ** 2) / 2,
    ]
    variance = [0, (1 - (4 + 4 + 1) / 25) / 2, (1 - (1 + 9 + 1) / 25) / 2, (1 - (0 + 9 + 4) / 25) / 2]
    assert_allclose(d.by_row["bias"], bias)
    assert_allclose(d.by_row["variance"], variance)
    assert_allclose(d.by_row["loss"], [0, 3 / 5, 4 / 5, 1])  # the share of wrong answers
    assert d.noise == 0
    assert d.loss == pytest.approx((0 + 3 / 5 + 4 / 5 + 1) / 4)


def test_domingos_by_hand() -> None:
    d = decompose(ANSWERS, TRUTH, loss="domingos")
    # main predictions: a; a and b tie, half each; b; b
    assert_allclose(d.by_row["bias"], [0, 1 / 2, 1, 1])
    assert_allclose(d.by_row["variance"], [0, 3 / 5, 2 / 5, 2 / 5])
    assert_allclose(d.by_row["variance_unbiased"], [0, 3 / 10, 0, 0])
    assert_allclose(d.by_row["variance_biased"], [0, 3 / 10, 2 / 5, 2 / 5])
    # on a biased row only the answers that are right save something: 2/5 of the half, 1/5, none
    assert_allclose(d.by_row["net_variance"], [0, 3 / 10 - 1 / 2 * 2 / 5, -1 / 5, 0])
    assert d.variance == pytest.approx((3 / 5 + 2 / 5 + 2 / 5) / 4)
    assert d.bias + d.net_variance == pytest.approx(d.loss)


def test_squared_by_hand() -> None:
    answers = [[1, 1, -1, -1], [1, -1, -1, -1], [1, -1, -1, 1], [1, 1, 1, 1]]  # mean answers 1, 0, -1/2, 0
    d = decompose(answers, [1, 1, 1, -1])
    assert_allclose(d.by_row["bias"], [0, 1, (1 + 1 / 2) ** 2, 1])
    assert_allclose(d.by_row["variance"], [0, 1, 1 - 1 / 4, 1])  # the mean square is 1
    assert d.loss == pytest.approx(np.mean([0, 4 * 2 / 4, 4 * 3 / 4, 4 * 2 / 4]))


@given(tables())
def test_every_zero_one_decomposition_adds_up_to_the_error_rate(table) -> None:
    answers, truth = table
    error = zero_one_loss(truth, answers).mean()
    k, d = (decompose(answers, truth, loss=loss) for loss in ("kohavi_wolpert", "domingos"))
    assert k.loss == pytest.approx(error)
    assert k.noise + k.bias + k.variance == pytest.approx(error)
    assert d.loss == pytest.approx(error)
    assert d.bias + d.net_variance + d.net_noise == pytest.approx(error)
    assert d.variance_unbiased + d.variance_biased == pytest.approx(d.variance)
    assert 0 <= k.variance <= 1 / 2
    assert 0 <= d.variance < 1


@given(tables("ab"))
def test_of_two_classes(table) -> None:
    """Squared loss on -1 and +1 is 4 x zero-one, part by part (Kohavi-Wolpert); Domingos' net is unbiased - biased."""
    answers, truth = table
    s, k, d = (decompose(answers, truth, loss=loss) for loss in LOSSES)  # type: ignore[arg-type]
    assert s.loss == pytest.approx(4 * k.loss)
    assert s.bias == pytest.approx(4 * k.bias)
    assert s.variance == pytest.approx(4 * k.variance)
    assert d.net_variance == pytest.approx(d.variance_unbiased - d.variance_biased)


@given(tables())
def test_laws(table) -> None:
    """The order of samples and of rows does not matter, nor what classes are called, nor that samples come twice."""
    answers, truth = table
    names = np.array(["zeta", "b", "a1"])
    renamed = dict(zip("abc", names, strict=True))
    again = np.vectorize(renamed.get)
    for loss in ("kohavi_wolpert", "domingos"):
        one = decompose(answers, truth, loss=loss).to_dict()
        for other in (
            decompose(answers[::-1], truth, loss=loss),
            decompose(answers[:, ::-1], truth[::-1], loss=loss),
            decompose(again(answers), again(truth), loss=loss),
            decompose(np.vstack([answers, answers]), truth, loss=loss),
        ):
            for part, value in other.to_dict().items():
                if part not in ("samples", "rows", "loss_kind"):
                    assert value == pytest.approx(one[part], abs=1e-12)


@given(st.lists(st.lists(st.floats(-5, 5), min_size=4, max_size=4), min_size=1, max_size=5))
def test_squared_loss_of_any_numbers(cells) -> None:
    answers, truth = np.array(cells), np.array([-1.0, 0.5, 2.0, 3.0])
    d = decompose(answers, truth)
    assert d.loss == pytest.approx(squared_loss(truth, answers).mean())
    assert d.bias + d.variance == pytest.approx(d.loss)


@pytest.mark.parametrize("written", [(0, 1), ("no", "yes"), (False, True), (-1, 1), (3, 7)])
def test_two_classes_are_minus_and_plus_one_however_written(written) -> None:
    low, high = written
    answers = np.array([[low, high, low], [high, high, low]])
    d = decompose(answers, np.array([low, high, high]))
    assert_allclose(d.by_row["loss"], [2, 0, 4])
    one = decompose(answers, np.array([low, high, high]), values={low: 0, high: 1})
    assert_allclose(one.by_row["loss"], [1 / 2, 0, 1])


def test_a_tied_vote_costs_one() -> None:
    """Bagging's vote is -1, 0 or +1: squared loss is 4 x zero-one for wrong votes, plus 1 for each tie."""
    rng = np.random.default_rng(0)
    truth = rng.choice([-1, 1], 60)
    for members in (3, 4, 8, 10):
        vote = np.sign(rng.choice([-1, 1], (members, 60), p=[0.4, 0.6]).sum(axis=0))
        wrong, tied = np.mean(vote == -truth), np.mean(vote == 0)
        assert decompose([vote], truth).loss == pytest.approx(4 * wrong + tied)
        assert (tied > 0) == (members % 2 == 0)


def test_the_printed_losses_of_bagging_are_of_that_form() -> None:
    """Of 150 rows: squared - 4 x zero-one is a whole number of ties, which odd numbers of voters cannot have."""
    printed = {3: (0.047, 0.187), 5: (0.04, 0.16), 8: (0.02, 0.10), 10: (0.027, 0.113), 15: (0.027, 0.107)}
    for members, (zero_one, squared) in printed.items():
        wrong = round(150 * zero_one)
        ties = 150 * squared - 4 * wrong
        assert ties == pytest.approx(round(ties), abs=150 * 0.0005 + 1e-9)  # three digits were printed
        assert (round(ties) > 0) == (members % 2 == 0)


def test_noise_where_the_truth_is_known() -> None:
    p = np.array([[0.8, 0.2], [0.5, 0.5]])
    answers = [["a", "a"], ["a", "b"], ["b", "b"], ["a", "b"]]  # shares of a: 3/4 and 1/4
    k = decompose(answers, ["a", "b"], loss="kohavi_wolpert", class_probabilities=p)
    assert_allclose(k.by_row["loss"], [1 - 0.8 * 3 / 4 - 0.2 * 1 / 4, 1 / 2])
    assert_allclose(k.by_row["noise"], [(1 - 0.64 - 0.04) / 2, 1 / 4])
    s = decompose(answers, ["a", "b"], class_probabilities=p)
    assert_allclose(s.by_row["noise"], [1 - 0.6**2, 1])  # the variance of ±1 with mean -.6 and 0
    assert s.noise + s.bias + s.variance == pytest.approx(4 * k.loss)
    d = decompose(answers, ["a", "b"], loss="domingos", class_probabilities=p)
    assert d.noise == pytest.approx((0.2 + 0.5) / 2)
    assert d.bias + d.net_variance + d.net_noise == pytest.approx(k.loss)
    one = decompose([[0, 1], [1, 1]], [0, 1], class_probabilities=p)
    assert_allclose(one.by_row["noise"], s.by_row["noise"])


@given(tables())
@settings(max_examples=30)
def test_certain_probabilities_are_no_probabilities(table) -> None:
    answers, truth = table
    p = (truth[:, None] == np.array(list("abc"))).astype(float)
    for loss in ("kohavi_wolpert", "domingos"):
        plain = decompose(answers, truth, loss=loss, labels=list("abc"))
        told = decompose(answers, truth, loss=loss, labels=list("abc"), class_probabilities=p)
        assert plain.to_dict() == pytest.approx(told.to_dict())


def test_unbiased_parts_are_right_on_average() -> None:
    """Answers are drawn with chance .7 of being right: bias (1 - .7)², variance .7 x .3, of Kohavi-Wolpert."""
    rng = np.random.default_rng(0)
    rows, samples = 4000, 5
    answers = np.where(rng.random((samples, rows)) < 0.7, "a", "b")
    plain, mended = (decompose(answers, ["a"] * rows, loss="kohavi_wolpert", unbiased=u) for u in (False, True))
    # the standard error of a mean over 4,000 rows is about .0015; plug-in values are off by .21/5 = .042
    assert mended.bias == pytest.approx(0.09, abs=0.008)
    assert mended.variance == pytest.approx(0.21, abs=0.008)
    assert plain.bias == pytest.approx(0.09 + 0.21 / 5, abs=0.008)
    assert plain.variance == pytest.approx(0.21 * 4 / 5, abs=0.008)
    assert mended.loss == pytest.approx(plain.loss)


def test_squared_needs_numbers_or_two_classes() -> None:
    with pytest.raises(InputError, match="kohavi_wolpert"):
        decompose([["a", "b", "c"]], ["a", "b", "c"])
    assert decompose([[0, 1, 2]], [0, 1, 1]).loss == pytest.approx(16 / 12)  # 2 lies one step beyond: (3 - 1)² of ±1
    assert decompose([[0, 1, 2]], [0, 2, 1]).loss == pytest.approx((0 + 1 + 1) / 3)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: decompose([["a"]], ["a"], loss="absolute"), UnknownNameError),  # type: ignore[arg-type]
        (lambda: decompose(["a"], ["a"]), InputError),
        (lambda: decompose([["a", "b"]], ["a"]), InputError),
        (lambda: decompose([["a"]], ["a"], loss="domingos", unbiased=True), InputError),
        (lambda: decompose([["a"]], ["b"], loss="domingos", class_probabilities=[[0.5, 0.6]]), InputError),
        (lambda: decompose([["a"]], ["b"], loss="domingos", class_probabilities=[[1.0]]), InputError),
        (lambda: decompose([["a"]], ["b"], labels=["a"], loss="domingos"), InputError),
    ],
)
def test_refusals(call, error) -> None:
    with pytest.raises(error):
        call()


def test_what_it_says() -> None:
    d = decompose(ANSWERS, TRUTH, loss="kohavi_wolpert")
    assert str(d).startswith("loss 0.600 = noise 0.000 + bias ")
    assert "5 samples, 4 rows" in str(d)
    assert d.to_dict()["loss"] == pytest.approx(0.6)
    with pytest.raises(UnknownNameError, match="net_variance"):
        _ = d.net_variance


def test_one_scale_for_truth_answers_and_labels() -> None:
    """Four numeric classes with equal chances: E y = 1.5, noise (2.25 + .25 + .25 + 2.25)/4 = 1.25."""
    d = decompose([[1, 3]], [3, 3], class_probabilities=[[0.25] * 4] * 2, labels=[0, 1, 2, 3])
    assert (d.noise, d.bias, d.loss) == (1.25, (0.25 + 2.25) / 2, 2.5)


def test_the_labels_given_decide_how_many_classes_there_are() -> None:
    """With the true probabilities known, which labels were drawn must not matter."""
    p = [[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]]
    losses = [decompose([[0, 1], [1, 1]], y, class_probabilities=p, labels=[0, 1, 2]).loss for y in ([0, 1], [2, 0])]
    assert losses[0] == pytest.approx(losses[1]) == pytest.approx(1.15)
    assert decompose([[0, 2], [1, 2]], [0, 1], labels=[0, 1, 2]).loss == 0.75  # (0 + 1 + 1 + 1) / 4


def test_what_is_printed_adds_up() -> None:
    d = decompose([["a"], ["a"], ["b"]], ["a"], "domingos", class_probabilities=[[0.6, 0.4]], labels=["a", "b"])
    assert "net_noise 0.133 + bias 0.000 + net_variance 0.333" in str(d)
    assert d.loss == pytest.approx(d.net_noise + d.bias + d.net_variance)


def test_one_sample_shows_no_variance() -> None:
    with pytest.raises(InputError, match="two samples"):
        decompose([[0, 1]], [0, 1], unbiased=True)
    with pytest.raises(InputError, match="are missing"):
        decompose(np.array([["a", None]], dtype=object), ["a", "b"], "domingos")
