"""What was refused or set aside."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from store.messages import Message
from store.records.upkeep.owner import Owner
from store.records.upkeep.progress import Step

PIPELINE: Final = "pipeline"  # where a work or a page was set aside
CRAWL: Final = "crawl"  # where an address gave nothing
IMPORT: Final = "import"  # where a file was refused
# What a crawl says of an address that somebody has to do something about. The rest is the web's, such as a missing page
# or robots.txt, and is tried again by itself; a site that gives nothing at all is told of in the list of sites.
ASKS_SOMEBODY: Final = frozenset(("soft_block", "proxy", "not_stored", "private_address"))


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """What problems that are looked at together have in common: where, the kind of reason, and the step."""

    where: str
    kind: str | None
    step: Step | None

    @property
    def to_do(self) -> bool:
        """Whether somebody has to do something about these."""
        return self.where != CRAWL or self.kind in ASKS_SOMEBODY


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemGroup:
    """All problems of one kind. reason: of the last one."""

    which: ProblemKind
    count: int
    reason: Message
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Input that was refused or set aside, with its reason."""

    id: str
    where: str  # room: import, crawl, pipeline
    what: str  # file or address; in the pipeline an owner as text
    reason: Message
    kind: str | None = None  # class of the error, or the word that a crawl counts it by
    at: datetime
    step: Step | None = None
    times: int = 1
    run: str | None = None  # the last one in which it came up

    @property
    def owner(self) -> Owner | None:
        """The work or page that it befell; None of one that befell a file or an address."""
        return Owner.parse(self.what) if self.where == PIPELINE else None
