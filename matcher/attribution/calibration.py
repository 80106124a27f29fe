"""Turn the weight of evidence into a probability, and report its two thresholds.

The probability is the logistic function of the logarithm of the weight (Platt, "Probabilistic outputs for support
vector machines", 1999). People's decisions on cases move it away from the measured one, the further the more there are.
No case opens below the first threshold. A copy is certain from the second one. In the band between them a person
decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MAX_NEWTON_STEPS = 50
_MIN_WEIGHT = 1e-3
_PRIOR_DECISIONS = 10.0  # weight of the measured prior, in decisions
_MAX_SLOPE, _MIN_SLOPE = 12.0, 0.5  # equal decisions do not determine the slope


@dataclass(frozen=True, slots=True)
class Calibration:
    """probability = 1 / (1 + exp(−(intercept + slope · ln weight))). decisions: number of decisions behind it."""

    intercept: float
    slope: float
    decisions: int = 0

    def probability(self, weight: float) -> float:
        """Return the probability, in (0, 1), that passages of this weight were copied."""
        # Python floats, as numpy scalars are several times slower.
        logit = self.intercept + self.slope * float(np.log(max(float(weight), _MIN_WEIGHT)))
        return 1 / (1 + float(np.exp(-min(max(logit, -30.0), 30.0))))

    def weight(self, probability: float) -> float:
        """Return the weight of a probability: 0 for 0, infinite for 1."""
        if not 0 < probability < 1:
            return 0.0 if probability <= 0 else float("inf")
        return float(np.exp((np.log(probability / (1 - probability)) - self.intercept) / self.slope))


# Measured on 2,091 comparisons with known copies, by text that other works do not share: 0.5 at weight 21, 0.9 at 43.
# The slope is that of the 108 formulaic texts, where evidence rises more slowly, as the contents of a library are
# unknown.
MEASURED_CALIBRATION = Calibration(intercept=-9.8, slope=3.2)


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision on a case: the weight of its passages, and whether it was a copy."""

    weight: float
    copied: bool


def fit_calibration(decisions: Sequence[Decision]) -> Calibration:
    """Fit a calibration to the decisions, with `MEASURED_CALIBRATION` as the prior.

    The fit is a maximum a posteriori estimate by Newton's method.
    """
    if not decisions:
        return MEASURED_CALIBRATION
    logs = np.log(np.maximum([decision.weight for decision in decisions], _MIN_WEIGHT))
    # The logarithm of the weight at probability 0.5, where intercept and slope are nearly independent.
    centre = -MEASURED_CALIBRATION.intercept / MEASURED_CALIBRATION.slope
    design = np.column_stack([np.ones(len(logs)), logs - centre])
    copied = np.array([decision.copied for decision in decisions], np.float64)
    start = np.array([0.0, MEASURED_CALIBRATION.slope])
    strength = _PRIOR_DECISIONS * np.array([0.25, 0.15])  # curvature of so many decisions near 0.5
    maximum = _maximize(design, copied, start, strength)
    slope = float(np.clip(maximum[1], _MIN_SLOPE, _MAX_SLOPE))
    return Calibration(float(maximum[0]) - slope * centre, slope, len(decisions))


def _maximize(
    design: NDArray[np.float64], copied: NDArray[np.float64], start: NDArray[np.float64], strength: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Maximize a concave function by Newton's method. Each step is halved until the function does not fall."""

    def height(point: NDArray[np.float64]) -> float:
        logits = design @ point
        return float(copied @ logits - np.logaddexp(0, logits).sum() - 0.5 * strength @ (point - start) ** 2)

    point = start
    for _ in range(_MAX_NEWTON_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(design @ point, -30, 30)))
        slope = design.T @ (copied - likely) - strength * (point - start)
        curvature = (design * (likely * (1 - likely))[:, None]).T @ design + np.diag(strength)
        step = np.linalg.solve(curvature, slope)
        while height(point + step) < height(point) and np.abs(step).max() > 1e-9:
            step = step / 2
        point = point + step
        if np.abs(step).max() < 1e-9:
            break
    return point


OPEN_THRESHOLD, CERTAIN_THRESHOLD = "open", "certain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A probability that has a consequence, and its error rates. Shares are in [0, 1].

    weight: weight at this probability, in agreeing initials. decided: cases above it that people decided. dismissed:
    those of them that were no copies. false_alarms: the share of those, None while nobody has decided any.
    expected_false_alarms: mean improbability of the cases that wait above it, None where none waits. at_threshold: the
    same for a case that just reaches it. waiting: number of waiting cases.
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
    """Report the opening and the certain threshold. waiting: weights of the undecided cases.

    The cases of the uncertain band are those of the first threshold less those of the second.
    """
    likely = [calibration.probability(weight) for weight in waiting]
    first, second = (
        _report_threshold(
            name, probability, calibration, decisions, [chance for chance in likely if chance >= probability]
        )
        for name, probability in ((OPEN_THRESHOLD, open_score), (CERTAIN_THRESHOLD, certain_score))
    )
    return first, second


def false_alarm_rate(decisions: Sequence[Decision], calibration: Calibration, threshold: float) -> float | None:
    """Return the share of cases above a probability that people dismissed, None where they decided none.

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
        dismissed=sum(not decision.copied for decision in above),
        false_alarms=false_alarm_rate(decisions, calibration, probability),
        expected_false_alarms=1 - sum(likely) / len(likely) if likely else None,
        at_threshold=1 - probability,
        waiting=len(likely),
    )
