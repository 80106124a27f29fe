"""The two thresholds of a probability, and how often each is wrong: below the first no case opens, from the second on
one is certain, and between them, in the uncertain band, a person decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from matcher.verdict.probability import Calibration, Decision

OPEN, CERTAIN = "open", "certain"


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


def thresholds(
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
        _threshold(name, probability, calibration, decisions, [one for one in likely if one >= probability])
        for name, probability in ((OPEN, open_score), (CERTAIN, certain_score))
    )
    return first, second


def false_alarm_rate(decisions: Sequence[Decision], calibration: Calibration, threshold: float) -> float | None:
    """The share of cases from this probability on that people dismissed; None where they decided on none.

    By Jeffreys' rule, half a case is added to either side, so that few decisions promise nothing.
    """
    above = [one.copied for one in decisions if calibration.probability(one.weight) >= threshold]
    return (above.count(False) + 0.5) / (len(above) + 1) if above else None


def _threshold(
    name: str, probability: float, calibration: Calibration, decisions: Sequence[Decision], likely: Sequence[float]
) -> Threshold:
    above = [one for one in decisions if calibration.probability(one.weight) >= probability]
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
