"""Lists of cases: what is worth a look comes first, much of a text, long, and rare."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenhen.cases.model import CaseOrder
from wenhen.cases.rules import CASE_SORTINGS, case_worth

SHARES = st.floats(0.01, 1)
WEIGHTS = st.floats(1, 1e6)


def of_page(share: float, weight: float) -> float:
    return case_worth(share_of_page=share, share_of_work=0.0, weight=weight)


@given(SHARES, WEIGHTS, st.floats(1.01, 9))
def test_more_of_a_text_longer_and_rarer_is_worth_more(share: float, weight: float, more: float) -> None:
    least = of_page(share, weight)
    assert of_page(min(1.0, share * more), weight) >= least
    assert of_page(share, weight * more) > least
    assert least == case_worth(share_of_page=0.0, share_of_work=share, weight=weight), "either text may be it"


def test_what_shares_nothing_is_worth_nothing() -> None:
    assert of_page(0.0, 240.0) == 0
    assert of_page(1.0, -3.0) == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((1.0, 400.0), (0.1, 3_000.0)),  # a whole short article before a tenth of a long page
        ((0.9, 3_000.0), (0.9, 60.0)),  # a chapter before a short text
        ((0.9, 400.0), (0.9, 90.0)),  # the same length, of which the second is common for the most part
        ((0.3, 30_000.0), (1.0, 24.0)),  # a third of a novel before a slogan
    ],
)
def test_what_a_person_would_look_at_first(first: tuple[float, float], second: tuple[float, float]) -> None:
    assert of_page(*first) > of_page(*second)


def test_every_order_says_what_it_sorts_by_and_no_two_the_same() -> None:
    assert set(CASE_SORTINGS) == set(CaseOrder)
    assert len(set(CASE_SORTINGS.values())) == len(CaseOrder)
