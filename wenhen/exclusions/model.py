"""Describe what people exclude from cases, and compute which cases an exclusion covers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Final

# What a person left out of cases: text that is shared, and accuses nobody.


class Excluded(StrEnum):
    """What is left out."""

    PASSAGE = "passage"  # a stretch of the page of one case
    BLOCK = "block"  # a text that somebody gave: a licence, a form
    SOURCE = "source"  # the work itself: it is no source of the page


class ExclusionScope(StrEnum):
    """Of which cases it is left out."""

    CASE = "case"
    WORK = "work"  # all cases of the work
    SITE = "site"  # all cases on the hosts of the site
    EVERYWHERE = "everywhere"  # all cases: text that many have


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Text is known by its letters, so that script, punctuation and homophones make no difference to it.

    covers: of which cases, by the places that `wenhen.exclusions.model` names.
    """

    id: str
    what: Excluded
    scope: ExclusionScope
    covers: tuple[str, ...]
    case_number: int  # where it was made
    work_id: str  # of that case; the work that is left out, where it is a source
    letters: bytes  # one byte each; none of a source
    text: str  # its beginning, for people; empty of a source
    why: str
    by: str
    at: datetime


# Which cases an exclusion covers: the places that cases and exclusions have in common.


_EVERYWHERE_PLACE: Final = "everywhere"


def case_places(case_id: str, work_id: str, host: str) -> tuple[str, ...]:
    """All places at which a case may be covered.

    >>> case_places("9f86d081:w1", "w1", "news.example")
    ('case:9f86d081:w1', 'work:w1', 'site:news.example', 'everywhere')
    """
    return f"case:{case_id}", f"work:{work_id}", f"site:{host}", _EVERYWHERE_PLACE


def covered_places(scope: ExclusionScope, case_id: str, work_id: str, hosts: Iterable[str]) -> tuple[str, ...]:
    """The places that an exclusion of this scope covers. hosts: of the site."""
    if scope is ExclusionScope.CASE:
        return (f"case:{case_id}",)
    if scope is ExclusionScope.WORK:
        return (f"work:{work_id}",)
    if scope is ExclusionScope.EVERYWHERE:
        return (_EVERYWHERE_PLACE,)
    return tuple(f"site:{host}" for host in hosts)


def exclusion_id(what: Excluded, covers: Sequence[str], work_id: str, letters: bytes) -> str:
    """The same for the same thing left out of the same cases. work_id: of a source, else nothing."""
    content = "\n".join((what, *sorted(covers), work_id if what is Excluded.SOURCE else ""))
    return sha256(content.encode() + b"\0" + letters).hexdigest()[:16]
