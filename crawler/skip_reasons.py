"""Name the reasons for which addresses give no capture, and count a crawl's results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

# The words by which it is counted why addresses gave no capture; known also where Scrapy is not.


class SkipReason(StrEnum):
    """The words that refusals and failures are counted by; a failed status counts as http_404 and so on."""

    ROBOTS = "robots"
    NO_ROBOTS = "no_robots"
    PRIVATE_ADDRESS = "private_address"
    NOT_WANTED = "not_wanted"
    OTHER_HOST = "other_host"
    TOO_LARGE = "too_large"
    REDIRECTS = "redirects"
    NOT_HTML = "not_html"
    SOFT_BLOCK = "soft_block"
    REMOVED = "removed"
    EMPTY_LIST = "empty_list"
    ASKED_TO_WAIT = "asked_to_wait"
    CUT_OFF = "cut_off"
    TRAP = "trap"
    PROXY = "proxy"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    NAME = "name_not_found"
    BROKEN = "broken_response"
    NOT_STORED = "not_stored"


PAGE_LIMIT_REASON = (
    "page_limit"  # the reason for which addresses are left out once as many pages are captured as may be
)
DROPPED_REASON = "dropped"  # the reason for which addresses are left out that somebody dropped while they waited
INTENDED_REASONS = frozenset(
    {PAGE_LIMIT_REASON, DROPPED_REASON}
)  # left out because somebody wants it so: nothing is wrong with the site


class PageChange(StrEnum):
    """What a capture is to one who knows the page."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    RESTED = "rested"  # known, and not asked for: no look at it was due


@dataclass(frozen=True, slots=True)
class CrawlCounts:
    """What came of the addresses that were asked for.

    Found are those of the fetched that the sink knew something of, and those that need not be fetched. Refused are
    those that a rule kept out, failed those whose server did not deliver; both by reason. Waiting are those that were
    not asked for yet.
    """

    fetched: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    found: Mapping[PageChange, int] = field(default_factory=dict)
    waiting: int = 0

    @classmethod
    def of(cls, counts: Mapping[str, int], *, waiting: int = 0) -> "CrawlCounts":
        """The counts that such a mapping tells."""
        refused, failed = (
            {name.removeprefix(kind): count for name, count in counts.items() if name.startswith(kind)}
            for kind in ("refused_", "failed_")
        )
        found = {one: counts[one] for one in PageChange if one in counts}
        return cls(counts.get("fetched", 0), refused, failed, found, waiting)

    def as_mapping(self) -> dict[str, int]:
        """One flat level: fetched, refused, failed; then, where there are any, waiting, new, changed, unchanged and
        every reason, such as failed_timeout.
        """
        totals = {"fetched": self.fetched, "refused": sum(self.refused.values()), "failed": sum(self.failed.values())}
        refused = {f"refused_{reason}": count for reason, count in self.refused.items()}
        failed = {f"failed_{reason}": count for reason, count in self.failed.items()}
        waiting = {"waiting": self.waiting} if self.waiting else {}
        return totals | waiting | {str(one): count for one, count in self.found.items()} | refused | failed
