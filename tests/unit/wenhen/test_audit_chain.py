"""The chain of the audit log: whatever is changed, taken out, put in or turned round in it shows."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.support.samples import NOON
from wenhen.audit.model import CHAIN_START, AuditEntry, ChainBreakKind, chain_hash, find_chain_breaks


def log(lines: int) -> list[AuditEntry]:
    made: list[AuditEntry] = []
    for number in range(1, lines + 1):
        line = AuditEntry(
            id=str(number),
            number=number,
            at=NOON + timedelta(minutes=number),
            who="沈",
            action="case.decide",
            subject=f"case:{number}",
            new="confirmed",
        )
        made.append(replace(line, hash=chain_hash(line, made[-1].hash or CHAIN_START if made else CHAIN_START)))
    return made


WHOLE = log(6)
CHANGES = st.sampled_from(
    [
        {"who": "陆"},
        {"action": "case.undo"},
        {"subject": "case:99"},
        {"old": "lead"},
        {"new": None},
        {"at": NOON},
        {"token": "0123456789ab"},
        {"token_name": "每夜"},
        {"hash": "0" * 64},
        {"hash": None},
    ]
)


def test_a_log_that_nobody_touched_fits() -> None:
    assert list(find_chain_breaks(WHOLE)) == []
    assert list(find_chain_breaks([])) == []


@given(place=st.integers(0, 5), changes=CHANGES)
def test_a_line_that_was_changed_shows(place: int, changes: dict[str, object]) -> None:
    lines = [*WHOLE[:place], replace(WHOLE[place], **changes), *WHOLE[place + 1 :]]  # type: ignore[arg-type]  # fields
    found = list(find_chain_breaks(lines))
    assert found != []
    assert found[0].number in (place + 1, place + 2)


@given(place=st.integers(1, 4))
def test_a_line_that_was_taken_out_shows_where(place: int) -> None:
    found = list(find_chain_breaks([*WHOLE[:place], *WHOLE[place + 1 :]]))
    assert found == [(place + 1, ChainBreakKind.GAP)]


@given(one=st.integers(0, 5), other=st.integers(0, 5))
def test_lines_that_changed_places_show(one: int, other: int) -> None:
    lines = list(WHOLE)
    lines[one], lines[other] = (
        replace(lines[other], number=one + 1, id=str(one + 1)),
        replace(lines[one], number=other + 1, id=str(other + 1)),
    )
    assert (list(find_chain_breaks(lines)) == []) == (one == other)


def test_lines_from_before_there_was_a_chain_are_taken_as_they_are() -> None:
    old = [replace(one, hash=None) for one in log(3)]
    new = replace(WHOLE[3], hash=chain_hash(WHOLE[3], CHAIN_START))
    assert list(find_chain_breaks([*old, new])) == []
    late = replace(WHOLE[4], hash=None)
    assert list(find_chain_breaks([*old, new, late])) == [(5, ChainBreakKind.UNSEALED)]
