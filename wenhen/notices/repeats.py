"""Determine which copies a new notice may cover, and which earlier notices it repeats."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.rules import INFRINGING_STATUSES, PURSUED_STATUSES, previous_statuses
from wenhen.kit.clock import CHINA, china_day
from wenhen.kit.errors import Message, message
from wenhen.notices.model import NamedCapture, Notice, Platform
from wenhen.product.context import Product

# Statuses from which a case may move to NOTICE_SENT, so that no notice waits for an answer.
_WRITABLE_AGAIN: Final = previous_statuses(CaseStatus.NOTICE_SENT)


def open_copies(product: Product, copies: Sequence[Case], to: Platform) -> list[Case]:
    """Return the copies that a new notice to this receiver may cover, in the same order.

    Copies in a draft, waiting for an answer, or at a status without notices are left out.
    """
    letters = _letters_by_case(product, [copy.number for copy in copies], to)
    may = INFRINGING_STATUSES if to.delists else PURSUED_STATUSES
    return [
        copy
        for copy in copies
        if copy.status in may and not any(_still_stands(notice, copy, to) for notice in letters.get(copy.number, ()))
    ]


def numbers_in_drafts(product: Product, numbers: Collection[int]) -> dict[int, set[str]]:
    """Return by case number the ids of receivers with a notice that is a draft or was just sent."""
    waiting: dict[int, set[str]] = {}
    for notice in product.store.notices.of_cases(numbers):
        if _is_under_way(notice):
            for number in notice.case_numbers:
                waiting.setdefault(number, set()).add(notice.platform)
    return waiting


def why_closed(product: Product, case: Case, to: Platform) -> Message:
    """Return why a new notice to this receiver may not cover a case."""
    for notice in _letters_by_case(product, [case.number], to).get(case.number, ()):
        if notice.sent_at is None:
            return message("notices.in_draft", number=case.number, id=notice.id)
        if _still_stands(notice, case, to) and (to.delists or case.status in PURSUED_STATUSES):
            return message("notices.awaits_answer", number=case.number, id=notice.id)
    return message("notices.nothing_left", number=case.number)


def _letters_by_case(product: Product, numbers: Collection[int], to: Platform) -> dict[int, list[Notice]]:
    """Return the notices to a receiver by case number, newest first."""
    letters: dict[int, list[Notice]] = {}
    for notice in product.store.notices.of_cases(numbers):
        if notice.platform == to.id:
            for number in notice.case_numbers:
                letters.setdefault(number, []).append(notice)
    return letters


def _is_under_way(notice: Notice) -> bool:
    return notice.sent_at is None or notice.follows_since is not None


def _still_stands(notice: Notice, case: Case, to: Platform) -> bool:
    """Return whether a notice prevents another one about the same case."""
    if _is_under_way(notice):
        return True
    if to.delists:  # it changed no status, so it stands until the copy is confirmed again
        since = _time_sent(notice)
        return not any(move.status is CaseStatus.CONFIRMED and move.at > since for move in case.history)
    return case.status not in _WRITABLE_AGAIN


def _time_sent(notice: Notice) -> datetime:
    """Return the time of sending, but not before drafting. A person may enter only a day."""
    return max(notice.written_at, notice.sent_at or notice.written_at)


# References to earlier notices: number, day, capture, and removal of the copy.


def earlier_letters(product: Product, copies: Sequence[Case], to: Platform) -> dict[int, list[Notice]]:
    """Return the earlier notices to this receiver by case number, oldest first."""
    letters = _letters_by_case(product, [copy.number for copy in copies], to)
    sent = {
        number: [notice for notice in reversed(notices) if notice.sent_at is not None]
        for number, notices in letters.items()
    }
    wanted = {copy.number for copy in copies}
    return {number: notices for number, notices in sent.items() if notices and number in wanted}


def letter_numbers(earlier: Iterable[Sequence[Notice]]) -> tuple[str, ...]:
    """Return the distinct numbers of the notices, sorted."""
    return tuple(sorted({notice.id for letters in earlier for notice in letters}))


def captures_named(copies: Sequence[Case]) -> tuple[NamedCapture, ...]:
    """Return the captures that a notice names, for comparison in later notices."""
    return tuple(
        NamedCapture(case=copy.number, fetched_at=copy.capture.fetched_at, digest=copy.capture.body_digest)
        for copy in copies
    )


def earlier_values(product: Product, case: Case, letters: Sequence[Notice]) -> list[dict[str, Any]]:
    """Return the template values for each earlier notice about a case."""
    values = []
    for notice in letters:
        capture = _capture_of(product, case, notice)
        removed = next(
            (move.at for move in case.history if move.status is CaseStatus.REMOVED and move.at >= notice.written_at),
            None,
        )
        values.append(
            {
                "number": notice.id,
                "sent": china_day(notice.sent_at).isoformat() if notice.sent_at else None,
                "fetched": _moment(capture.fetched_at) if capture else None,
                "digest": capture.digest if capture else None,
                "removed": china_day(removed).isoformat() if removed else None,
            }
        )
    return values


def _capture_of(product: Product, case: Case, notice: Notice) -> NamedCapture | None:
    """Return the capture that a notice named, or for old notices the last one before drafting."""
    kept = next((named for named in notice.named if named.case == case.number), None)
    if kept is not None:
        return kept
    captures = product.store.pages.captures(case.page_id)
    capture = next((taken for taken in captures if taken.fetched_at <= notice.written_at), None)
    if capture is None:
        return None
    return NamedCapture(case=case.number, fetched_at=capture.fetched_at, digest=capture.body_digest)


def _moment(moment: datetime) -> str:
    return moment.astimezone(CHINA).strftime("%Y-%m-%d %H:%M:%S")
