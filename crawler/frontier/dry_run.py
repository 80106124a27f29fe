"""A crawl that is tried out: what it comes upon is noted, nothing is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crawler.crawl.address_counts import CrawlCounts
from crawler.crawl.frontier_port import Entry, Exchange, address_of
from crawler.crawl.sink_port import Arrival
from crawler.frontier.memory import MemoryFrontier
from store.messages import Message

MOST = 10_000  # addresses that are noted


@dataclass(slots=True)
class DryRun:
    """What a crawl would ask for, in its order; of that, what gave a page, and what gave none and why."""

    asked: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    missed: list[tuple[str, Message]] = field(default_factory=list)


class DryRunSink:
    """Notes what came of each address."""

    def __init__(self, dry_run: DryRun) -> None:
        self._dry_run = dry_run

    def captured(self, arrivals: Sequence[Arrival]) -> list[None]:
        """Noted, not kept."""
        self._dry_run.pages += [one.url for one in arrivals]
        return [None] * len(arrivals)

    def refused(self, url: str, message: Message, reason: str) -> None:  # noqa: ARG002  the message says it
        """Noted."""
        self._dry_run.missed.append((url, message))

    def progress(self, counts: CrawlCounts) -> None:
        """Nobody watches."""


class DryRunFrontier(MemoryFrontier):
    """Remembers all that was entered, also what is left out once there are enough pages."""

    def __init__(self, most_pages: int) -> None:
        super().__init__(most_pages)
        self._entered: dict[bytes, Entry] = {}

    def exchange(
        self,
        *,
        done: Sequence[bytes] = (),
        entered: Sequence[Entry] = (),
        held: Sequence[bytes] = (),
        want: int = 0,
        counts: Mapping[str, int] | None = None,
    ) -> Exchange:
        """As the port says."""
        for entry in entered[: MOST - len(self._entered)]:
            self._entered.setdefault(entry.id, entry)
        return super().exchange(done=done, entered=entered, held=held, want=want, counts=counts)

    def addresses(self) -> list[str]:
        """All of them, in the order in which they are asked for."""
        return [address_of(entry) for entry in sorted(self._entered.values(), key=lambda entry: entry.rank)]
