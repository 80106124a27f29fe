"""Name the reasons for which addresses give no capture, and count a crawl's results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class SkipReason(StrEnum):
    """The words that refused and failed addresses are counted by. A failed status counts as http_404 and so on.

    This module needs no Scrapy, so that other packages can name the reasons.
    """

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
    # Of spiders of the user's own.
    ITEM_WITHOUT_URL = "item_without_url"
    ITEM_WITHOUT_TEXT = "item_without_text"
    SPIDER_OUTPUT = "spider_output"  # neither an item nor a request that can wait
    SPIDER_FAILED = "spider_failed"
    TOO_DEEP = "too_deep"


PAGE_LIMIT_REASON = "page_limit"  # of addresses that are left out because the page limit is reached
DROPPED_REASON = "dropped"  # of addresses that a person dropped while they waited
INTENDED_REASONS = frozenset({PAGE_LIMIT_REASON, DROPPED_REASON})  # a person wants these left out: the site is in order


class PageChange(StrEnum):
    """The change of a page that a capture shows."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    RESTED = "rested"  # known, and no request was due


@dataclass(frozen=True, slots=True)
class CrawlCounts:
    """The results of the addresses of a crawl.

    `changes` counts known pages by their change. `refused` counts addresses that a rule kept out, and `failed` those
    whose server did not deliver, by reason. `waiting` counts addresses that were not requested yet.
    """

    fetched: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    changes: Mapping[PageChange, int] = field(default_factory=dict)
    waiting: int = 0

    @classmethod
    def of(cls, counts: Mapping[str, int], *, waiting: int = 0) -> "CrawlCounts":
        """Parse the counts of a flat mapping."""
        refused, failed = (
            {name.removeprefix(kind): count for name, count in counts.items() if name.startswith(kind)}
            for kind in ("refused_", "failed_")
        )
        changes = {change: counts[change] for change in PageChange if change in counts}
        return cls(counts.get("fetched", 0), refused, failed, changes, waiting)

    def as_mapping(self) -> dict[str, int]:
        """Return the counts as one flat mapping: fetched, refused, failed, then waiting, changes and every reason, such
        as failed_timeout.
        """
        totals = {"fetched": self.fetched, "refused": sum(self.refused.values()), "failed": sum(self.failed.values())}
        refused = {f"refused_{reason}": count for reason, count in self.refused.items()}
        failed = {f"failed_{reason}": count for reason, count in self.failed.items()}
        waiting = {"waiting": self.waiting} if self.waiting else {}
        return totals | waiting | {str(change): count for change, count in self.changes.items()} | refused | failed
