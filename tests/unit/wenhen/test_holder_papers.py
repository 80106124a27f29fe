"""What a holder needs for a notice: told by name, and out of date from the day after the last one."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.holders import paper
from tests.support.seed import NOW
from wenhen.holders.model import Holder, PaperKind, missing_requirements, required_papers
from wenhen.kit.clock import china_day, start_of_day

TODAY = china_day(NOW)
WHOLE = Holder(
    id="河岸",
    contact="010",
    address="河岸路 1 号",
    identity="9111",
    representative="律所",
    papers=tuple(paper(kind) for kind in PaperKind),
)


def names(holder: Holder, day: date = TODAY) -> list[str]:
    return [one.what for one in missing_requirements(holder, day)]


def without(**changed: object) -> Holder:
    return replace(WHOLE, **changed)  # type: ignore[arg-type]  # the test names fields


def test_a_holder_with_everything_lacks_nothing() -> None:
    assert names(WHOLE) == []


@pytest.mark.parametrize("name", ["contact", "address", "identity", "representative"])
def test_what_is_not_written_down_is_named(name: str) -> None:
    assert names(without(**{name: None})) == [name]


def test_who_acts_alone_needs_neither_representative_nor_power_of_attorney() -> None:
    alone = without(
        acts_itself=True, representative=None, papers=(paper(PaperKind.IDENTITY), paper(PaperKind.PROOF, days=None))
    )
    assert required_papers(alone) == (PaperKind.IDENTITY, PaperKind.PROOF)
    assert names(alone) == []


@given(st.sampled_from(PaperKind), st.integers(-500, 500))
def test_a_paper_counts_from_its_first_day_to_its_last(kind: PaperKind, offset: int) -> None:
    one = paper(kind)
    day = TODAY + timedelta(days=offset)
    assert one.valid_until
    inside = china_day(one.valid_from) <= day <= china_day(one.valid_until)
    assert (f"paper_{kind}" not in names(without(papers=(one,)), day)) is inside


def test_a_paper_out_of_date_is_told_with_its_day_and_a_newer_one_takes_its_place() -> None:
    old = paper(PaperKind.AUTHORITY, days=-1)
    others = tuple(one for one in WHOLE.papers if one.kind is not PaperKind.AUTHORITY)
    (lack,) = missing_requirements(without(papers=(*others, old)), TODAY)
    assert str(lack.said) == f"the power of attorney (out of date since {TODAY - timedelta(days=1)})"
    assert missing_requirements(without(papers=(*others, old, paper(PaperKind.AUTHORITY))), TODAY) == []


def test_a_paper_of_tomorrow_is_told_with_its_day() -> None:
    one = paper(PaperKind.PROOF)
    later = tuple(x for x in WHOLE.papers if x.kind is not PaperKind.PROOF)
    tomorrow = TODAY + timedelta(days=1)
    (lack,) = missing_requirements(without(papers=(*later, replace(one, valid_from=start_of_day(tomorrow)))), TODAY)
    assert str(lack.said) == f"proof that the rights are the holder's (valid only from {tomorrow})"
