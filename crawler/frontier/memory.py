"""Keep the frontier of one process in memory, also for dry runs."""

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from crawler.ports import (
    MAX_ADDRESSES_PER_PAGE,
    Arrival,
    CrawlCounts,
    FrontierEntry,
    FrontierExchange,
    FrontierState,
    PageClaim,
    entry_url,
)
from crawler.skip_reasons import PAGE_LIMIT_REASON
from wenhen.kit.errors import Message


class MemoryFrontier:
    """A frontier that ends with its process."""

    def __init__(self, most_pages: int) -> None:
        self._most_pages = most_pages
        self._seen: set[bytes] = set()
        self._queue: list[tuple[int, int, FrontierEntry]] = []
        self._number = count()
        self._held: dict[bytes, tuple[int, int, FrontierEntry]] = {}
        self._captured: dict[bytes, bytes] = {}
        self._taken: set[bytes] = set()  # ids of entries in hand with a taken page
        self._counts: Counter[str] = Counter()

    def begin(self) -> None:
        """Do nothing, because the frontier exists from the beginning."""

    def exchange(
        self,
        *,
        done: Sequence[bytes] = (),
        entered: Sequence[FrontierEntry] = (),
        held: Sequence[bytes] = (),  # noqa: ARG002  no other crawler exists
        want: int = 0,
        counts: Mapping[str, int] | None = None,
    ) -> FrontierExchange:
        """See `crawler.ports.Frontier`."""
        self._counts.update(counts or {})
        for id in done:
            self._held.pop(id, None)
            self._taken.discard(id)
        full = len(self._captured) >= self._most_pages
        for entry in entered:
            if entry.id not in self._seen and len(self._seen) < MAX_ADDRESSES_PER_PAGE * self._most_pages:
                self._seen.add(entry.id)
                heapq.heappush(self._queue, (entry.rank, next(self._number), entry))
        if full:
            staying = [place for place in self._queue if place[2].id in self._taken]
            if left := len(self._queue) - len(staying):
                self._counts[f"refused_{PAGE_LIMIT_REASON}"] += left
            self._queue = staying
        given = [heapq.heappop(self._queue) for _ in range(min(want, len(self._queue)))]
        self._held.update((place[2].id, place) for place in given)
        return FrontierExchange(
            FrontierState.FULL if full else FrontierState.OPEN,
            tuple(entry for _, _, entry in given),
            frozenset(entry.id for _, _, entry in given if entry.id in self._taken),
            len(self._queue),
            len(self._held),
            dict(self._counts),
        )

    def take(self, pages: Sequence[tuple[bytes, bytes]]) -> list[PageClaim]:
        """See `crawler.ports.Frontier`."""
        return [self._take(page, entry) for page, entry in pages]

    def _take(self, page: bytes, entry: bytes) -> PageClaim:
        if page not in self._captured and len(self._captured) >= self._most_pages:
            return PageClaim.FULL
        self._seen.add(page)
        if self._captured.setdefault(page, entry) != entry:
            return PageClaim.BEFORE
        self._taken.add(entry)
        return PageClaim.OURS

    def give_back(self, entries: Sequence[bytes]) -> None:
        """See `crawler.ports.Frontier`."""
        for id in entries:
            if place := self._held.pop(id, None):
                heapq.heappush(self._queue, place)


# A dry run: a crawl that notes what it finds and stores nothing.


MAX_DRY_RUN_ADDRESSES = 10_000  # addresses


@dataclass(slots=True)
class DryRun:
    """The addresses that a crawl would request, in order, those with a page, and those without one with the reason."""

    asked: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    missed: list[tuple[str, Message]] = field(default_factory=list)


class DryRunSink:
    """Notes the result of each address."""

    def __init__(self, dry_run: DryRun) -> None:
        self._dry_run = dry_run

    def store_captures(self, arrivals: Sequence[Arrival]) -> list[None]:
        """Note the pages without storing them."""
        self._dry_run.pages += [arrival.url for arrival in arrivals]
        return [None] * len(arrivals)

    def report_refused(self, url: str, message: Message, reason: str) -> None:  # noqa: ARG002  the message says it
        """Note a refusal."""
        self._dry_run.missed.append((url, message))

    def progress(self, counts: CrawlCounts) -> None:
        """Discard counts."""


class DryRunFrontier(MemoryFrontier):
    """A frontier that remembers all entries, even those beyond the page limit."""

    def __init__(self, most_pages: int) -> None:
        super().__init__(most_pages)
        self._entered: dict[bytes, FrontierEntry] = {}

    def exchange(
        self,
        *,
        done: Sequence[bytes] = (),
        entered: Sequence[FrontierEntry] = (),
        held: Sequence[bytes] = (),
        want: int = 0,
        counts: Mapping[str, int] | None = None,
    ) -> FrontierExchange:
        """See `crawler.ports.Frontier`."""
        for entry in entered[: MAX_DRY_RUN_ADDRESSES - len(self._entered)]:
            self._entered.setdefault(entry.id, entry)
        return super().exchange(done=done, entered=entered, held=held, want=want, counts=counts)

    def addresses(self) -> list[str]:
        """Return all addresses in the order of requests."""
        return [entry_url(entry) for entry in sorted(self._entered.values(), key=lambda entry: entry.rank)]
