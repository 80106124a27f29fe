"""Name works, pages and their derived records. Say which pipeline step comes next."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Final, Self

from wenhen.kit.errors import Message

_BATCH_PREFIX: Final = "discovered:"  # before the id, where a batch is named beside sites and addresses


class SubjectKind(StrEnum):
    """What a run can be of."""

    SITE = "site"  # one that is watched
    ADDRESS = "address"  # one that somebody asked for
    BATCH = "batch"  # addresses of a search that were accepted together
    INDEX = "index"  # of a rebuild


@dataclass(frozen=True, slots=True)
class Subject:
    """What a run was of. id: of the site, the batch or the index; the address itself.

    >>> Subject.read("discovered:7f3a")
    Subject(kind=<SubjectKind.BATCH: 'batch'>, id='7f3a')
    >>> Subject.read("http://a.test/").kind.value, Subject.read("a.test").kind.value
    ('address', 'site')
    """

    kind: SubjectKind
    id: str

    @classmethod
    def read(cls, text: str) -> Self:
        """The site, address or batch that people, programs and the store name so."""
        if text.startswith(_BATCH_PREFIX):
            return cls(SubjectKind.BATCH, text.removeprefix(_BATCH_PREFIX))
        return cls(SubjectKind.ADDRESS if text.startswith(("http://", "https://")) else SubjectKind.SITE, text)

    def __str__(self) -> str:
        """As `read` takes it; an index by its name alone."""
        return f"{_BATCH_PREFIX}{self.id}" if self.kind is SubjectKind.BATCH else self.id


class Step(StrEnum):
    """The next thing to be done with a work or a page; its record holds it, not the queue."""

    EXTRACT = "extract"  # page only: captured bytes -> text
    READ_PICTURES = "read_pictures"  # page only: what is written in its pictures, for EXTRACT
    FINGERPRINT = "fingerprint"
    INDEX = "index"
    LOOK_UP = "look_up"  # rank the candidates of the other side
    ALIGN = "align"  # page only: candidates -> passages -> cases
    REMOVE = "remove"  # take out of the index, then DONE
    DONE = "done"
    SET_ASIDE = "set_aside"  # the last try failed; `Progress.problem` says why


UNFINISHED: Final = tuple(step for step in Step if step not in (Step.DONE, Step.SET_ASIDE))


class OwnerKind(StrEnum):
    """Which side of a match a fingerprint belongs to."""

    WORK = "work"
    PAGE = "page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a record stands on its way, and when the sweep may queue it again."""

    step: Step
    due: datetime
    tries: int = 0
    failed_step: Step | None = None  # the step that SET_ASIDE happened in
    problem: Message | None = None


# Whose a text, a fingerprint or a problem is: a work or a page.


@dataclass(frozen=True, slots=True, order=True)
class Owner:
    """A work or a page, of which nothing but its id is known. As text, which is how it is stored: `work:ID`."""

    kind: OwnerKind
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"

    @classmethod
    def parse(cls, written: str) -> Self:
        """The owner that was written so. Raises ValueError for what names none.

        >>> Owner.parse("work:novel:1")
        Owner(kind=<OwnerKind.WORK: 'work'>, id='novel:1')
        """
        kind, _, id = written.partition(":")
        return cls(OwnerKind(kind), id)

    @classmethod
    def of_work(cls, id: str) -> Self:
        """The work with this id."""
        return cls(OwnerKind.WORK, id)

    @classmethod
    def of_page(cls, id: str) -> Self:
        """The page with this id."""
        return cls(OwnerKind.PAGE, id)


_WORK_PREFIX = f"{OwnerKind.WORK}:"  # before the id of a work where a page's would stand; ids of pages have no colon


def page_id(url: str) -> str:
    """Return the id of the page at this address: 32 hex digits of its SHA-256."""
    return sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def copy_id(copy: Owner) -> str:
    """How a match names the text that copies: a page by its id; a work, where both sides are works, as `work:ID`.

    >>> copy_id(Owner.of_page("9f86d081")), copy_id(Owner.of_work("9f86d081"))
    ('9f86d081', 'work:9f86d081')
    """
    return copy.id if copy.kind is OwnerKind.PAGE else str(copy)


def parse_copy_id(id: str) -> Owner:
    """The text that a match names so; the reverse of `copy_id`."""
    return Owner.parse(id) if id.startswith(_WORK_PREFIX) else Owner.of_page(id)


def match_id(copy: Owner, work_id: str) -> str:
    """The id of what is known of a text against a work, and of the case that it opens."""
    return f"{copy_id(copy)}:{work_id}"


def fingerprint_id(owner: Owner, version: int, segment: int) -> str:
    """The id of the fingerprint of a segment of a version of a text; the same when it is made again."""
    return f"{owner}:{version}:{segment}"
