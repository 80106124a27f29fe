"""Whether a search engine still leads to a page: what a look amounts to, and which pages are looked for."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, TypeVar

from store.records import Case, PageListing
from store.rules.cases.case_path import LEAD, PURSUED

FOLLOWED: Final = (LEAD, *PURSUED)
_T = TypeVar("_T")


def after_look(
    before: PageListing | None,
    case: int,
    asked: tuple[str, ...],
    now: datetime,
    *,
    listed: bool,
    found_at: datetime | None = None,
) -> PageListing:
    """What is known after a look. before: after the one before; found_at: when a search had led to the page."""
    if listed:
        return PageListing(case=case, looked_at=now, asked=asked, seen_at=now)
    since = before.absent_since if before is not None and before.absent_since is not None else now
    seen_at = found_at if before is None else before.seen_at
    return PageListing(case=case, looked_at=now, asked=asked, seen_at=seen_at, absent_since=since)


def says_nothing(silent: Collection[str], found_by: Collection[str]) -> bool:
    """Whether nothing follows from a look that found nothing: an engine that led to the page before did not answer or,
    where nobody knows which did, any. silent: the engines that did not answer; found_by: those that led there.
    """
    return bool(set(silent) & set(found_by) if found_by else silent)


def is_followed(case: Case, *, noticed: bool) -> bool:
    """Whether a page that a search found is looked for again by itself: as long as its copy is there and is pursued, or
    waits for somebody to judge it. noticed: a notice to a search engine names it, with which it is looked for.
    """
    return case.present and case.status in FOLLOWED and case.licence_id is None and not noticed


def within_budget(due: Sequence[_T], *, most: int, asked: int) -> Sequence[_T]:
    """Of those that are due, the longest first, as many as may still be asked for today. asked: how many were."""
    return due[: max(0, most - asked)]
