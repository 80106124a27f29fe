"""What a person left out of cases: text that is shared, and accuses nobody."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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

    covers: of which cases, by the places that `store.rules.cases.exclusion_covers` names.
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
