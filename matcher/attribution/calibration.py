"""Turn the weight of evidence into a probability, and report its two thresholds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# From the weight of the evidence to a probability, corrected by what people decided on past cases.
#
# The probability is the logistic function of the logarithm of the weight (Platt, "Probabilistic outputs for support
# vector machines", 1999). People's decisions move it away from where measurement put it, the further the more there
# are.


_MAX_NEWTON_STEPS = 50
_MIN_WEIGHT = 1e-3
_PRIOR_DECISIONS = 10.0  # decisions that the measured prior weighs as much as
_MAX_SLOPE, _MIN_SLOPE = 12.0, 0.5  # decisions all alike say nothing about the slope


@dataclass(frozen=True, slots=True)
class Calibration:
    """probability = 1 / (1 + exp(−(intercept + slope · ln weight))); decisions: how many it was corrected by."""

    intercept: float
    slope: float
    decisions: int = 0

    def probability(self, weight: float) -> float:
        """The probability, in (0, 1), that passages of this weight were copied."""
        # Python's numbers, not numpy's: of one alone those take several times as long.
        logit = self.intercept + self.slope * float(np.log(max(float(weight), _MIN_WEIGHT)))
        return 1 / (1 + float(np.exp(-min(max(logit, -30.0), 30.0))))

    def weight(self, probability: float) -> float:
        """The weight at which a probability lies; 0 for 0, infinite for 1."""
        if not 0 < probability < 1:
            return 0.0 if probability <= 0 else float("inf")
        return float(np.exp((np.log(probability / (1 - probability)) - self.intercept) / self.slope))


# Measured on 2,091 comparisons of texts whose copies are known, by what other works do not share: one half at a weight
# of 21, nine tenths at 43. Among formulaic texts (108 of them) the evidence rises more slowly than among others, and
# what a library holds is not known: the slope is theirs.
MEASURED_CALIBRATION = Calibration(intercept=-9.8, slope=3.2)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person said of a case: the weight of its passages, and whether it was a copy."""

    weight: float
    copied: bool


def fit_calibration(decisions: Sequence[Decision]) -> Calibration:
    """The calibration that explains the decisions best, held back by `MEASURED_CALIBRATION` (maximum a posteriori,
    Newton's method).
    """
    if not decisions:
        return MEASURED_CALIBRATION
    logs = np.log(np.maximum([decision.weight for decision in decisions], _MIN_WEIGHT))
    # Where it says one half: intercept and slope are nearly independent there.
    centre = -MEASURED_CALIBRATION.intercept / MEASURED_CALIBRATION.slope
    design = np.column_stack([np.ones(len(logs)), logs - centre])
    copied = np.array([decision.copied for decision in decisions], np.float64)
    start = np.array([0.0, MEASURED_CALIBRATION.slope])
    strength = _PRIOR_DECISIONS * np.array([0.25, 0.15])  # curvature of that many decisions near one half
    found = _maximize(design, copied, start, strength)
    slope = float(np.clip(found[1], _MIN_SLOPE, _MAX_SLOPE))
    return Calibration(float(found[0]) - slope * centre, slope, len(decisions))


def _maximize(
    design: NDArray[np.float64], copied: NDArray[np.float64], start: NDArray[np.float64], strength: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Newton's method on a concave function; each step is halved until it does not go down."""

    def height(at: NDArray[np.float64]) -> float:
        logits = design @ at
        return float(copied @ logits - np.logaddexp(0, logits).sum() - 0.5 * strength @ (at - start) ** 2)

    at = start
    for _ in range(_MAX_NEWTON_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(design @ at, -30, 30)))
        slope = design.T @ (copied - likely) - strength * (at - start)
        curvature = (design * (likely * (1 - likely))[:, None]).T @ design + np.diag(strength)
        step = np.linalg.solve(curvature, slope)
        while height(at + step) < height(at) and np.abs(step).max() > 1e-9:
            step = step / 2
        at = at + step
        if np.abs(step).max() < 1e-9:
            break
    return at


# The two thresholds of a probability, and how often each is wrong: below the first no case opens, from the second on
# one is certain, and between them, in the uncertain band, a person decides.


OPEN_THRESHOLD, CERTAIN_THRESHOLD = "open", "certain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A probability from which something happens, and how often it is wrong there. Shares in [0, 1].

    weight: of the passages at which it lies, in letters that agree. decided, dismissed: cases from it on on which
    people decided, and those of them that were no copies. false_alarms: the share of those; None while nobody has
    decided on any. expected_false_alarms: the mean improbability of the cases that wait from it on, by the calibration;
    None where none waits. at_threshold: the same for a case that just reaches it. waiting: how many wait.
    """

    name: str
    probability: float
    weight: float
    decided: int
    dismissed: int
    false_alarms: float | None
    expected_false_alarms: float | None
    at_threshold: float
    waiting: int


def report_thresholds(
    calibration: Calibration,
    *,
    open_score: float,
    certain_score: float,
    decisions: Sequence[Decision] = (),
    waiting: Sequence[float] = (),
) -> tuple[Threshold, Threshold]:
    """Where cases open, and where they are certain. waiting: weights of the cases that nobody has decided on.

    The cases of the uncertain band are those of the first threshold less those of the second.
    """
    likely = [calibration.probability(weight) for weight in waiting]
    first, second = (
        _report_threshold(name, probability, calibration, decisions, [one for one in likely if one >= probability])
        for name, probability in ((OPEN_THRESHOLD, open_score), (CERTAIN_THRESHOLD, certain_score))
    )
    return first, second


def false_alarm_rate(decisions: Sequence[Decision], calibration: Calibration, threshold: float) -> float | None:
    """The share of cases from this probability on that people dismissed; None where they decided on none.

    By Jeffreys' rule, half a case is added to either side, so that few decisions promise nothing.
    """
    above = [decision.copied for decision in decisions if calibration.probability(decision.weight) >= threshold]
    return (above.count(False) + 0.5) / (len(above) + 1) if above else None


def _report_threshold(
    name: str, probability: float, calibration: Calibration, decisions: Sequence[Decision], likely: Sequence[float]
) -> Threshold:
    above = [decision for decision in decisions if calibration.probability(decision.weight) >= probability]
    return Threshold(
        name=name,
        probability=probability,
        weight=calibration.weight(probability),
        decided=len(above),
        dismissed=sum(not one.copied for one in above),
        false_alarms=false_alarm_rate(decisions, calibration, probability),
        expected_false_alarms=1 - sum(likely) / len(likely) if likely else None,
        at_threshold=1 - probability,
        waiting=len(likely),
    )
