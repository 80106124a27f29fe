"""The two thresholds, and how often cases from each on are no copies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matcher.attribution.calibration import MEASURED_CALIBRATION, Decision, false_alarm_rate, report_thresholds

weights = st.lists(st.floats(5, 500), max_size=20)


@given(st.floats(0.001, 0.999))
def test_the_weight_of_a_threshold_has_its_probability(probability: float) -> None:
    assert MEASURED_CALIBRATION.probability(MEASURED_CALIBRATION.weight(probability)) == pytest.approx(probability)


def test_no_weight_is_certain_and_every_weight_is_possible() -> None:
    assert MEASURED_CALIBRATION.weight(1) == float("inf")
    assert MEASURED_CALIBRATION.weight(0) == 0


def test_decided_and_waiting_cases_are_counted_from_each_threshold_on() -> None:
    decided = [Decision(20, copied=False), Decision(100, copied=True), Decision(100, copied=False)]
    opening, certain = report_thresholds(
        MEASURED_CALIBRATION, open_score=0.2, certain_score=0.9, decisions=decided, waiting=[5, 20, 22, 400]
    )
    assert (opening.decided, opening.dismissed, opening.waiting) == (3, 2, 3)
    assert (certain.decided, certain.dismissed, certain.waiting) == (2, 1, 1)
    assert opening.false_alarms == pytest.approx(2.5 / 4)
    assert certain.expected_false_alarms == pytest.approx(1 - MEASURED_CALIBRATION.probability(400))


def test_nothing_is_claimed_of_no_case() -> None:
    for one in report_thresholds(MEASURED_CALIBRATION, open_score=0.2, certain_score=0.9):
        assert (one.false_alarms, one.expected_false_alarms, one.waiting, one.decided) == (None, None, 0, 0)


@given(weights, weights)
def test_the_expected_rate_is_never_above_that_at_the_threshold_and_a_mark_keeps_it(
    waiting: list[float], dismissed: list[float]
) -> None:
    decided = [Decision(weight, copied=False) for weight in dismissed]
    found = report_thresholds(
        MEASURED_CALIBRATION, open_score=0.2, certain_score=0.9, decisions=decided, waiting=waiting
    )
    for one in found:
        assert one.expected_false_alarms is None or one.expected_false_alarms <= one.at_threshold + 1e-9


def test_the_false_alarm_rate_counts_dismissals_from_the_threshold_on() -> None:
    decided = [Decision(20, copied=False)] * 3 + [Decision(100, copied=True)] * 6 + [Decision(100, copied=False)]
    assert false_alarm_rate(decided, MEASURED_CALIBRATION, 0.9) == pytest.approx(1.5 / 8)
    assert false_alarm_rate(decided, MEASURED_CALIBRATION, 0.2) == pytest.approx(4.5 / 11)
    assert false_alarm_rate([], MEASURED_CALIBRATION, 0.9) is None
