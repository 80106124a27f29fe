"""How short a passage counts is the user's to say; what counts so has that many of the same characters."""

from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.align_pair import Comparison, align_pair
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS
from matcher.model import is_too_short
from tests.support.way import made_text
from wenhen.cases.opening_rule import judge_comparisons

WORK = made_text("work", 700).replace("\n", "").replace("，", "").replace("。", "")
BEFORE, BEHIND = made_text("before", 200), made_text("behind", 200)


def compared(page: str, shortest: int = MAX_QUOTATION_INITIALS) -> Comparison | None:
    return align_pair(page, to_initials(page), WORK, to_initials(WORK), shortest=shortest)


def accuses(page: str, shortest: int = MAX_QUOTATION_INITIALS) -> bool:
    comparison = compared(page, shortest)
    return comparison is not None and judge_comparisons([comparison], 0.2)[0].accuses


@given(st.integers(8, 30), st.integers(100, 400))
def test_a_passage_counts_from_the_set_number_of_letters_on(shortest: int, place: int) -> None:
    page = f"{BEFORE}{WORK[place : place + shortest]}{BEHIND}"
    assert accuses(page, shortest)
    assert not accuses(page)


@given(st.integers(50, 200))
def test_a_longer_number_than_usual_leaves_shorter_passages_out(shortest: int) -> None:
    assert accuses(f"{BEFORE}{WORK[100 : 100 + shortest + 1]}{BEHIND}", shortest)
    assert not accuses(f"{BEFORE}{WORK[100 : 100 + shortest - 10]}{BEHIND}", shortest)


def test_other_characters_of_the_same_initials_are_no_short_passage() -> None:
    letters = {to_initials(sign).codes.tobytes(): sign for sign in "不从的发个好家看可了们那年平去人是他我下在这"}
    twin = "".join(letters.get(to_initials(sign).codes.tobytes(), "安") for sign in WORK[100:112])
    assert sum(mine == theirs for mine, theirs in zip(twin, WORK[100:112], strict=True)) < 8
    assert not accuses(f"{BEFORE}{twin}{BEHIND}", 8)


def test_a_work_is_too_short_by_the_number_that_it_has() -> None:
    assert is_too_short("一寸山河一寸心")
    assert is_too_short("一寸山河一寸心", 8)
    assert not is_too_short("一寸山河一寸心，寸寸", 8)
    assert not is_too_short(WORK[:20], 500)
