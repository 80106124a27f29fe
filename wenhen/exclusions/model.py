"""Describe exclusions by users, and compute which cases an exclusion covers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Final

# Exclusions: shared text that a user has excluded from cases.


class Excluded(StrEnum):
    """The kinds of exclusion."""

    PASSAGE = "passage"  # a range of the page of one case
    BLOCK = "block"  # a given text: a licence, a form
    SOURCE = "source"  # the work itself: it is no source of the page


class ExclusionScope(StrEnum):
    """The cases that an exclusion covers."""

    CASE = "case"
    WORK = "work"  # all cases of the work
    SITE = "site"  # all cases on the hosts of the site
    EVERYWHERE = "everywhere"  # all cases: a common text


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """An exclusion. Its text is compared by initials, so script, punctuation and homophones do not matter.

    covers: the covered cases, as keys of `case_places`.
    """

    id: str
    what: Excluded
    scope: ExclusionScope
    covers: tuple[str, ...]
    case_number: int  # the case on which it was made
    work_id: str  # of that case; for SOURCE, the excluded work
    letters: bytes  # initials, one byte each; empty for SOURCE
    text: str  # its beginning, for display; empty for SOURCE
    why: str
    by: str
    at: datetime


# Coverage: keys that cases and exclusions have in common.


_EVERYWHERE_PLACE: Final = "everywhere"


def case_places(case_id: str, work_id: str, host: str) -> tuple[str, ...]:
    """Return all keys by which a case may be covered.

    >>> case_places("9f86d081:w1", "w1", "news.example")
    ('case:9f86d081:w1', 'work:w1', 'site:news.example', 'everywhere')
    """
    return f"case:{case_id}", f"work:{work_id}", f"site:{host}", _EVERYWHERE_PLACE


def covered_places(scope: ExclusionScope, case_id: str, work_id: str, hosts: Iterable[str]) -> tuple[str, ...]:
    """Return the keys that an exclusion of this scope covers. hosts: of the site."""
    if scope is ExclusionScope.CASE:
        return (f"case:{case_id}",)
    if scope is ExclusionScope.WORK:
        return (f"work:{work_id}",)
    if scope is ExclusionScope.EVERYWHERE:
        return (_EVERYWHERE_PLACE,)
    return tuple(f"site:{host}" for host in hosts)


def exclusion_id(what: Excluded, covers: Sequence[str], work_id: str, letters: bytes) -> str:
    """Return the id of an exclusion. It is the same for the same content and cases. work_id: only used for SOURCE."""
    content = "\n".join((what, *sorted(covers), work_id if what is Excluded.SOURCE else ""))
    return sha256(content.encode() + b"\0" + letters).hexdigest()[:16]
