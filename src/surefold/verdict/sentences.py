"""Every sentence that a verdict is made of, in one place, to be read in ten minutes and to be translated.

`{braces}` hold figures and names. An answer is plain words without p; tests and methods stand under "How we know".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, SupportsFloat

from surefold.errors import show
from surefold.estimates.estimate import Estimate
from surefold.numbers import about, amount, count, number, p_said, percent

__all__ = ["TEMPLATES", "Kind", "Quantity", "Sentence"]

Kind = Literal["about", "class", "count", "cost", "p", "score", "share"]

TEMPLATES: dict[str, str] = {
    "undefined": "Cannot tell: {reason}.",
    # badges
    "badge better": "better",
    "badge worse": "worse",
    "badge cannot_tell": "cannot tell",
    "badge practically_equal": "practically equal",
    "badge differ": "they differ",
    "badge passed": "passed",
    "badge failed": "failed",
    "badge incomplete": "incomplete",
    "badge told": "told",
    "badge better than constant": "better than always answering {rival}",
    "badge worse than constant": "worse than always answering {rival}",
    "badge like constant": "cannot be told from always answering {rival}",
    "badge cheaper": "{share} cheaper than always answering {rival}",
    "badge dearer": "dearer than always answering {rival}",
    "badge costs open": "cannot be told whether it costs less than always answering {rival}",
    "badge other threshold": "another threshold is needed",
    "badge above chance": "better than chance",
    "badge below chance": "worse than chance",
    "badge like chance": "cannot be told from chance",
    "badge apart": "{better} is better",
    "badge best": "{better} is the best",
    "badge set": "the best is one of {n}",
    "badge equal": "practically equal",
    "badge open pair": "cannot be told apart",
    # costs
    "costs told": "A row costs {cost}, against {rival_cost} for always answering {rival}.",
    "costs worse": "As it answers now, a row costs {cost}; always answering {rival} would cost {rival_cost}.",
    "costs open": "A row costs {cost}, and always answering {rival} {rival_cost}: these rows do not tell which is"
    " less.",
    "act threshold": "Use {threshold}: it finds {tp} of {positives} {positive}, with {fp} false {alarms}, at"
    " {least} a row.",
    "act keep threshold": "Keep its answers: no threshold costs less on these rows.",
    "act rival": "Answer {rival} until the model improves.",
    "act costs": "Work first on its dearest mistake: {true} answered {called}, {rows}, {part} of what it costs.",
    "doubt threshold": "The threshold was chosen on these rows, so this is somewhat flattering: chosen without the"
    " rows judged, a row costs {honest}. Fix it and check it on new rows.",
    "doubt threshold alone": "The threshold was chosen on these rows, so this is somewhat flattering. Fix it and"
    " check it on new rows.",
    # a rare class
    "rare labels": "Finds {tp} of {positives} {positive}; {precision} of its calls are right, against {prevalence}"
    " by chance.",
    "rare scores": "Its order is worth something: average precision is {area}, against {prevalence} by chance.",
    "rare worse": "Finds {positive} no better than chance: {area}, against {prevalence} by chance.",
    "rare open": "With {positives} {rows} of {positive} these data do not tell it from chance: average precision is"
    " {area}, against {prevalence} by chance.",
    "rare open labels": "With {positives} {rows} of {positive} these data do not tell it from chance: {precision}"
    " of its calls are right, against {prevalence} by chance.",
    "act highest": "Look at the highest scores first: the {k} highest hold {found} of them.",
    "act rare rows": "About {more} more rows of {positive} would tell.",
    "doubt rare": "{positives} {rows} of {positive} carry these figures.",
    "balanced told": "On average {balanced} of the rows of a class are right, against {chance} by chance.",
    "balanced open": "On average {balanced} of the rows of a class are right: that may be chance, which is {chance}.",
    # labels
    "labels better": "Right on {accuracy} of {rows}; always answering {rival} would be right on {share}.",
    "labels worse": "Right on {accuracy} of {rows}, which is less than the {share} of always answering {rival}.",
    "labels open": "Right on {accuracy} of {rows}, which cannot be told from always answering {rival}, right on"
    " {share}.",
    "labels same": "Right on {accuracy} of {rows}, which is no better than always answering {rival}, right on {share}.",
    "act mistake": "Use it; to make it better, work first on its commonest mistake: {true} answered {called}, {rows}.",
    "act rare mistake": "Check its calls by hand where a wrong one is dear, and look for those it missed: {true}"
    " answered {called}, {rows}.",
    "act turn": "Do not use it as it is; first look at its commonest mistake: {true} answered {called}, {rows}.",
    "act faultless": "Use it; that it made no mistake on these rows does not mean that it makes none.",
    "act more rows": "About {more} more rows would tell, if the difference stays as it is.",
    "act no rows": "No number of rows is likely to tell.",
    "doubt costs": "No costs were given, so a miss counts as much as a false alarm. Say what they cost:"
    " costs={costs} (--costs {flag}).",
    "how constant": "{test} against the constant answer, {p}.",
    "how chance": "Guessing with the same class shares would be right {chance} of the time; kappa, which discounts"
    " that, is {kappa}.",
    "how accuracy": "Accuracy is {accuracy}; always answering {rival} would be right on {share}.",
    "how area": "ROC AUC is {area}; 50% is chance.",
    "how cost": "Cost of a row less that of always answering {rival}: {difference}.",
    # scores alone
    "scores better": "A {positive} row scores higher than another one {area} of the time; 50% is chance.",
    "scores worse": "A {positive} row scores lower than another one more often than not: higher only {area} of the"
    " time.",
    "scores open": "A {positive} row scores higher than another one {area} of the time: that may be chance, which"
    " is 50%.",
    "act scores": "Choose a threshold, or give costs, to have answers.",
    "act turned": "Check the positive class: the scores may be of the other one.",
    # one measure that was asked for
    "asked better": "{measure} is {value}; {chance} is what no skill at all would give.",
    "asked open": "{measure} is {value}: that may be no skill at all, which would give {chance}.",
    # several models
    "pair told": "{better} is better than {other}: {measure} is {higher} by {difference}.",
    "pair open": "{first} and {second} cannot be told apart by {measure}: {one} and {two}, difference {difference}.",
    "pair equal": "{first} and {second} are practically equal: {measure} differs by {difference}, inside your"
    " margin of {margin}.",
    "set best": "{better} is better than each of the other {n}: {measure} is {value}.",
    "set open": "The best by {measure} is one of {set}, which cannot be told apart; {rest}.",
    "set all": "None of the {n} models can be told from the best by {measure}.",
    "set first": "{better} is the best of {k} by {measure}: {value}. Held against it one by one, {names} cannot be told"
    " from it.",
    "set rest": "{n} others are worse",
    "set not": "{names} {are} not the best",
    "set both": "{one}, and {two}",
    "set worse": "{names} {are} worse",
    "set equal": "The {n} models are practically equal: by {measure} none differs from the best by more than your"
    " margin of {margin}.",
    "badge control": "{n} better than {control}",
    "how pairs": "{tests}; {n} pairs, {adjusted}.",
    "how gate": "The difference and its bounds: {test}, on the same rows.",
    "control": "By {measure}, better than {control}: {better}; worse: {worse}; cannot be told from it: {open}.",
    "act use": "Use {better}.",
    "act simpler": "Choose the simpler or the cheaper one.",
    "act margin": "No number of rows is likely to tell: say by a margin how small a difference does not matter.",
    "doubt choice": "{k} models were compared; the intervals allow for that.",
    "doubt winner": "It was picked as the best of {k} on these rows: allowing for the choice, {corrected}.",
    "doubt overlap": "Overlapping intervals do not mean the models are equal; look at the paired difference.",
    "doubt not equal": "They are not shown to be equal either: the difference may be larger than the margin of"
    " {margin}.",
    "how pair": "{test}, {p}{adjusted}.",
    "how smallest": "Four times in five, these rows would find a difference of {smallest} or more.",
    # slices
    "badge slices": "{side} the rest in {k} of {n} slices",
    "badge slices open": "no slice is told {side} the rest",
    "badge slices alike": "all {n} slices alike",
    "slices told": "{measure} is {side} the rest in {k} of {n} slices: {list}.",
    "slices open": "In none of {n} slices is {measure} surely {side} the rest; of all rows it is {whole}.",
    "slices alike": "{measure} is practically equal in all {n} slices: none differs from the rest by {margin} or more.",
    "slices none": "Cannot tell: no slice has a value and enough rows.",
    "act slice": "Look at {slice} first: {estimate}, on {rows}.",
    "act slice rows": "The largest gap is in {slice}, {estimate}; about {more} more rows in all would tell, if it stays"
    " what it is.",
    "doubt worst slice": "The worst of {n} slices is {slice}: {worst}, allowing for the choice.",
    "doubt slice all good": "That no slice is told does not mean that they are alike: the worst, {slice}, is {worst},"
    " allowing for the choice.",
    "how slices": "Each slice against all other rows: {test}; {adjusted} over {n} slices.",
    "how slice intervals": "Intervals for all slices at once are each at {level} (Sidak).",
    "slice gate passed": "Every slice has a {measure} surely {held}: the least sure is {slice}, {estimate}, one-sided"
    " {level} bound {bound}.",
    "slice gate failed": "{measure} is surely not {held} in {k} of {n} slices: {list}.",
    "slice gate open": "Cannot tell whether every slice has a {measure} {held}: {list} {hold} it up.",
    "slice gate none": "Cannot tell whether every slice has a {measure} {held}: no slice has a value and enough rows.",
    "act slice gate": "About {more} more rows of {slice} would tell, if its value stays what it is.",
    "act slice gate never": "No number of rows is likely to tell of {slice}: its value is the limit itself.",
    "doubt slices left out": "{left}.",
    "how slice gate": "Passed where each slice's own bound is on the good side, failed where one of {n} is on the bad"
    " side with the error shared among them.",
    "compared worse": "{first} is worse than {second} in {k} of {n} slices: {list}.",
    "compared better": "{first} is better than {second} in {k} of {n} slices, and surely worse in none: {list}.",
    "compared open": "In none of {n} slices is one model surely better or worse than the other by {measure}.",
    "compared none": "Cannot tell: no slice has enough rows.",
    "badge compared worse": "worse in {k} of {n} slices",
    "badge compared better": "better in {k} of {n} slices",
    "badge compared open": "no slice is told",
    "act compared": "Look at {slice} first: {measure} differs there by {difference}.",
    "how compared": "The paired difference in each slice: {tests}; {adjusted} over {n} slices and pairs.",
    # gates
    "gate told": "{claim}: {measure} {verb} {value}, with {level} confidence {side} {bound}; the limit is {limit}.",
    "gate open": "Cannot tell whether {claim}: {measure} {verb} {value}, somewhere from {low} to {high} (each end with"
    " {level} confidence), and the limit is {limit}.",
    "gate withheld": "Cannot tell whether {claim}: {measure} {verb} {value}, with {level} confidence {side} {bound};"
    " the limit is {limit}. But, asked to be strict: {why}",
    "gate undefined": "Cannot tell whether {claim}: {reason}.",
    "act replace": "{candidate} may replace {baseline}.",
    "act keep": "Keep {baseline}.",
    "act ship": "{candidate} meets the limit.",
    "act stop": "{candidate} does not meet the limit.",
    "act gate rows": "About {more} more rows would tell, if the {what} stays what it is.",
    "act gate never": "No number of rows is likely to tell: the {what} is the limit itself.",
    "doubt margin zero": "With a margin of 0 not inferior means superior: a margin above 0 says what loss does not"
    " matter.",
    # runs over splits
    "splits better": "Right on {accuracy} of rows it was not trained on; always answering {rival} would be right on"
    " {share}.",
    "splits worse": "Right on {accuracy} of rows it was not trained on, which is less than the {share} of always"
    " answering {rival}.",
    "splits open": "Right on {accuracy} of rows it was not trained on, which cannot be told from always answering"
    " {rival}, right on {share}.",
    "act train": "Train it on all rows and use that model: expect about this figure on new rows.",
    "act other model": "Answer {rival}, or try another model: this one brings nothing that can be seen.",
    "incomplete": "{missing} of {splits} {are} missing ({first}).",
    "act resume": "Run the missing folds: there is no verdict before every fold is there.",
    "trained rows": "Cannot tell: rows that were trained on were tested.",
    "how splits": "{what}, {method}.",
    # selection
    "badge chosen": "chosen from {m}",
    "select": "{best} was chosen from {m}; on rows that chose nothing its {measure} is {estimate}.",
    "select one": "On rows that it was not trained on, the {measure} of {best} is {estimate}.",
    "select nested": "A search of {m} has {measure} {estimate} on rows that chose nothing; on all rows it chose"
    " {best}.",
    "select flattering": "{best} was chosen from {m}, with {measure} {estimate} on the rows that chose it.",
    "select trained": "Cannot tell how good {best} is: rows that were trained on were tested.",
    "select undefined": "Cannot tell how good {best} is: {reason}.",
    "select flatters": "The figure is that of a choice among {m}, on the rows that chose: expect less of new rows.",
    "act ship best": "Ship {best}.",
    "act ship often": "Ship {best}, which {times} of {folds} outer folds chose too.",
    "act ship seldom": "Ship {best}; but {times} of {folds} outer folds chose it: the figure is of the search.",
    "act ship other": "Ship {best}; but {times} of {folds} outer folds chose it, and {most} chose {often}: the"
    " figure is of the search, not of that model.",
    "how promised": "The search promised {claimed}, too much by {gap}.",
    "how kept": "The search promised {claimed}: no sign that it promised too much (off by {gap}).",
    "how rival": "Always answering {rival} would have {measure} {rival_value}.",
    # costs of several ways
    "study costs": "{best} costs least, {cost} a row; always answering {rival} would cost {rival_cost}.",
    "act use or": "Use {better}, or whichever is simplest of the {n} that cannot be told from it.",
    "doubt cheapest": "The cheapest of {run} was chosen on these rows: on new ones it will look a little worse.",
    # learning: more rows, wrong labels, smaller trees, parts of the loss
    "curve point": "With {x} training rows the {measure} of {model} is {value}.",
    "rows gain": "More rows still pay: from {before} to {x} the {measure} of {model} gets better by {change}, and is"
    " {value}.",
    "rows open": "Whether more rows pay cannot be told: from {before} to {x} the {measure} of {model} gets better by"
    " {change}, and is {value}.",
    "rows loss": "More rows made it worse: from {before} to {x} the {measure} of {model} gets worse by {change}, and is"
    " {value}.",
    "badge rows gain": "more rows still pay",
    "badge rows open": "cannot be told whether more rows pay",
    "badge rows loss": "worse with more rows",
    "act rows gain": "Collect more rows like these before changing the model.",
    "act rows open": "Try another model or better features first: they cost less than rows that may bring nothing.",
    "act rows loss": "Check the rows that were added: they may be of another kind, or wrongly labelled.",
    "noise gain": "With {x} of the training labels wrong the {measure} of {model} is {value}, better by {change} than"
    " with {before} wrong.",
    "noise open": "With {x} of the training labels wrong the {measure} of {model} is {value}, which cannot be told from"
    " {before} wrong: worse by {change}.",
    "noise loss": "With {x} of the training labels wrong the {measure} of {model} is {value}, worse by {change} than"
    " with {before} wrong.",
    "badge noise gain": "better with wrong labels",
    "badge noise open": "cannot be told whether wrong labels cost anything",
    "badge noise loss": "wrong labels cost",
    "act noise gain": "Check how the labels were made wrong: this should not be.",
    "act noise open": "Check a sample of your labels all the same: these rows do not say what wrong ones cost.",
    "act noise loss": "Check the labels that you train on, first those that the model contradicts.",
    "doubt curves": "Each interval is for its model alone: sf.compare says which model is better.",
    "how change": "The change, split by split on the same rows: {signed}.",
    "pruned": "{best} has the least held-out error, {value}.",
    "badge pruned": "least of {n}",
    "act smaller tree": "Use {small}: its error, {small_value}, is within one standard error of the least, and its tree"
    " is smaller ({leaves} leaves).",
    "doubt pruning": "It was chosen among {n} on these rows, so its error is a little flattering: check it on others.",
    "how ways": "{n} of {m} pairs of ways to prune can be told apart.",
    "parts": "The loss of {model}{at} is {loss}: bias {bias}, variance {variance}.",
    "badge bias": "bias is the larger part",
    "badge variance": "variance is the larger part",
    "badge parts": "neither part is surely larger",
    "act bias": "Let the model fit more closely: more features, more depth, less smoothing. More rows help little.",
    "act variance": "Steady the model: average several (bagging, a forest), smooth or prune it, or collect more rows.",
    "act parts": "Try both a steadier and a more flexible model: the data do not say which part to work on.",
    # plans
    "planned": "{said}.",
    "badge collect": "{n} rows",
    "badge enough": "enough rows",
    "badge too few": "too few rows",
    "act collect": "Collect {n} rows before looking at the result.",
    "act enough": "Go ahead; if nothing is found, the difference is probably smaller than this.",
    "act too few": "Collect more rows first: with these a difference of this size may well be missed.",
    "act smallest": "Go ahead if a smaller difference would not matter; otherwise collect more rows.",
    "act width": "Go ahead if that is narrow enough to decide by; otherwise collect more rows.",
    "doubt plan": "It rests on the figures you gave, which are guesses: plan again once some rows are there.",
    # what a finding says
    "finding": "{sentence}",
    "finding cured": "{sentence} {cure}",
    "plain": "{words}",
}


@dataclass(frozen=True)
class Quantity:
    """A number and what it is, which says how it is written; of an estimate, its interval is written too."""

    value: object
    kind: Kind

    def __str__(self) -> str:
        v = self.value
        if self.kind == "class":
            return show(v)
        if isinstance(v, Estimate):
            if self.kind != "share" or not v.defined:
                return str(v)
            shown = [percent(x, v.low, v.high) for x in (v.value, v.low, v.high)]
            return shown[0] if v.low != v.low else f"{shown[0]} [{shown[1]}, {shown[2]}]"
        writers = {"about": about, "count": count, "cost": amount, "p": p_said, "share": percent, "score": _score}
        return writers[self.kind](float(v)) if isinstance(v, SupportsFloat) else str(v)


@dataclass(frozen=True)
class Sentence:
    """A template by its key, and what stands in its places.

    >>> print(Sentence("act mistake", {"true": "'a'", "called": "'b'", "rows": "3 rows"}))
    Use it; to make it better, work first on its commonest mistake: 'a' answered 'b', 3 rows.
    """

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        shown = {name: number(v) if isinstance(v, float) else str(v) for name, v in self.values.items()}
        return TEMPLATES[self.key].format_map(shown)


def _score(value: float) -> str:
    return number(value, ".3g")
