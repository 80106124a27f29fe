"""Identify works, pages and their derived records, and define the pipeline steps."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Final, Self

from wenhen.kit.errors import Message

_BATCH_PREFIX: Final = "discovered:"  # prefix of a batch id, where sites and addresses are named too
_LIST_PREFIX: Final = "addresses:"  # prefix of the id of a list of addresses


class SubjectKind(StrEnum):
    """The kinds of subject of a run."""

    SITE = "site"  # a watched site
    ADDRESS = "address"  # an address that a user asked for
    BATCH = "batch"  # addresses of a search that were accepted together
    LIST = "list"  # addresses that a user asked for together, which stand in the run
    INDEX = "index"  # for rebuilds


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a run. id: id of the site, batch or index, or the address itself.

    >>> Subject.read("discovered:7f3a")
    Subject(kind=<SubjectKind.BATCH: 'batch'>, id='7f3a')
    >>> Subject.read("http://a.test/").kind.value, Subject.read("a.test").kind.value
    ('address', 'site')
    """

    kind: SubjectKind
    id: str

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse the name of a site, address or batch."""
        if text.startswith(_BATCH_PREFIX):
            return cls(SubjectKind.BATCH, text.removeprefix(_BATCH_PREFIX))
        if text.startswith(_LIST_PREFIX):
            return cls(SubjectKind.LIST, text.removeprefix(_LIST_PREFIX))
        return cls(SubjectKind.ADDRESS if text.startswith(("http://", "https://")) else SubjectKind.SITE, text)

    def __str__(self) -> str:
        """Return the name that `read` parses. The name of an index is not parsed."""
        prefixes = {SubjectKind.BATCH: _BATCH_PREFIX, SubjectKind.LIST: _LIST_PREFIX}
        return prefixes.get(self.kind, "") + self.id


class Step(StrEnum):
    """The next step of a work or a page. It is in the record, not in the queue."""

    EXTRACT = "extract"  # page only: captured bytes to text
    READ_PICTURES = "read_pictures"  # page only: OCR of its images, for EXTRACT
    FINGERPRINT = "fingerprint"
    INDEX = "index"
    LOOK_UP = "look_up"  # rank the candidates of the other kind
    ALIGN = "align"  # page only: candidates to passages to cases
    REMOVE = "remove"  # remove from the index, then DONE
    DONE = "done"
    SET_ASIDE = "set_aside"  # the last try failed; `Progress.problem` gives the reason


UNFINISHED: Final = tuple(step for step in Step if step not in (Step.DONE, Step.SET_ASIDE))


class OwnerKind(StrEnum):
    """The kind of owner of a fingerprint: a work or a page."""

    WORK = "work"
    PAGE = "page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The next step of a record, and the time at which the reconciler may queue it again."""

    step: Step
    due: datetime
    tries: int = 0
    failed_step: Step | None = None  # the step that failed before SET_ASIDE
    problem: Message | None = None


# Owner of a text, a fingerprint or a problem: a work or a page.


@dataclass(frozen=True, slots=True, order=True)
class Owner:
    """Reference to a work or a page by id. Its text form, as stored, is `work:ID`."""

    kind: OwnerKind
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"

    @classmethod
    def parse(cls, written: str) -> Self:
        """Parse the text form of an owner. Raises ValueError.

        >>> Owner.parse("work:novel:1")
        Owner(kind=<OwnerKind.WORK: 'work'>, id='novel:1')
        """
        kind, _, id = written.partition(":")
        return cls(OwnerKind(kind), id)

    @classmethod
    def of_work(cls, id: str) -> Self:
        """Return the owner for the work with this id."""
        return cls(OwnerKind.WORK, id)

    @classmethod
    def of_page(cls, id: str) -> Self:
        """Return the owner for the page with this id."""
        return cls(OwnerKind.PAGE, id)


_WORK_PREFIX = f"{OwnerKind.WORK}:"  # marks the id of a work among ids of pages, which contain no colon


def page_id(url: str) -> str:
    """Return the id of the page at this address: 32 hex digits of its SHA-256."""
    return sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def copy_id(copy: Owner) -> str:
    """Return how a match names its copy: a page by its id, and a work as `work:ID`.

    >>> copy_id(Owner.of_page("9f86d081")), copy_id(Owner.of_work("9f86d081"))
    ('9f86d081', 'work:9f86d081')
    """
    return copy.id if copy.kind is OwnerKind.PAGE else str(copy)


def parse_copy_id(id: str) -> Owner:
    """Return the owner that a match names; the inverse of `copy_id`."""
    return Owner.parse(id) if id.startswith(_WORK_PREFIX) else Owner.of_page(id)


def match_id(copy: Owner, work_id: str) -> str:
    """Return the id of the match of a text with a work, and of the case that it opens."""
    return f"{copy_id(copy)}:{work_id}"


def fingerprint_id(owner: Owner, version: int, segment: int) -> str:
    """Return the id of the fingerprint of a segment. It stays the same when the fingerprint is made again."""
    return f"{owner}:{version}:{segment}"
