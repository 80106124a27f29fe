"""Evidence becomes a probability, and people's decisions correct it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matcher.attribution.calibration import MEASURED_CALIBRATION, Calibration, Decision, fit_calibration

weights = st.floats(0, 1e6, allow_nan=False)
decisions = st.lists(st.builds(Decision, weight=st.floats(5, 500), copied=st.booleans()), max_size=60)


@given(weights, weights)
def test_more_evidence_never_means_less_probability(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert 0 < MEASURED_CALIBRATION.probability(low) <= MEASURED_CALIBRATION.probability(high) < 1


def test_the_measured_calibration_says_one_half_and_nine_tenths_where_they_were_measured() -> None:
    assert MEASURED_CALIBRATION.probability(math.exp(9.8 / 3.2)) == pytest.approx(0.5)
    assert MEASURED_CALIBRATION.probability(43) == pytest.approx(0.9, abs=0.02)


def test_without_decisions_nothing_changes() -> None:
    assert fit_calibration([]) == MEASURED_CALIBRATION


def test_many_dismissals_of_middling_cases_lower_their_probability_and_confirmations_raise_it() -> None:
    dismissed = fit_calibration([Decision(30, copied=False)] * 40)
    confirmed = fit_calibration([Decision(30, copied=True)] * 40)
    assert dismissed.probability(30) < 0.5 < MEASURED_CALIBRATION.probability(30) < confirmed.probability(30)
    assert dismissed.decisions == 40


def test_one_decision_moves_little() -> None:
    moved = fit_calibration([Decision(30, copied=False)])
    assert abs(moved.probability(30) - MEASURED_CALIBRATION.probability(30)) < 0.1


def test_decisions_drawn_from_another_calibration_lead_to_it() -> None:
    true = Calibration(intercept=-4.0 * math.log(40), slope=4.0)
    drawn = [
        Decision(weight, copied=place < round(true.probability(weight) * 40))
        for weight in (10, 15, 20, 30, 40, 50, 70, 100, 150)
        for place in range(40)
    ]
    found = fit_calibration(drawn)
    for weight in (20, 40, 80):
        assert found.probability(weight) == pytest.approx(true.probability(weight), abs=0.08)


@given(decisions)
def test_any_decisions_leave_more_evidence_meaning_more(given_decisions: list[Decision]) -> None:
    found = fit_calibration(given_decisions)
    assert found.slope > 0
    assert found.probability(10) <= found.probability(100)


@given(decisions)
def test_the_order_of_the_decisions_does_not_matter(given_decisions: list[Decision]) -> None:
    turned = given_decisions[::-1]
    assert fit_calibration(turned).probability(25) == pytest.approx(
        fit_calibration(given_decisions).probability(25), abs=1e-6
    )
