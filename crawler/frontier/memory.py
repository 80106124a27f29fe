"""The frontier of a crawl that one process does and that no other joins."""

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count

from crawler.crawl.address_counts import LIMIT
from crawler.crawl.frontier_port import ASKED_FOR_A_PAGE, Entry, Exchange, State, Taken


class MemoryFrontier:
    """Nothing of it outlives the process."""

    def __init__(self, most_pages: int) -> None:
        self._most_pages = most_pages
        self._seen: set[bytes] = set()
        self._queue: list[tuple[int, int, Entry]] = []
        self._number = count()
        self._held: dict[bytes, tuple[int, int, Entry]] = {}
        self._captured: dict[bytes, bytes] = {}
        self._taken: set[bytes] = set()  # entries in hand for which a page was taken
        self._counts: Counter[str] = Counter()

    def begin(self) -> None:
        """There from the beginning."""

    def exchange(
        self,
        *,
        done: Sequence[bytes] = (),
        entered: Sequence[Entry] = (),
        held: Sequence[bytes] = (),  # noqa: ARG002  nobody else could take it
        want: int = 0,
        counts: Mapping[str, int] | None = None,
    ) -> Exchange:
        """As the port says."""
        self._counts.update(counts or {})
        for id in done:
            self._held.pop(id, None)
            self._taken.discard(id)
        full = len(self._captured) >= self._most_pages
        for entry in entered:
            if entry.id not in self._seen and len(self._seen) < ASKED_FOR_A_PAGE * self._most_pages:
                self._seen.add(entry.id)
                heapq.heappush(self._queue, (entry.rank, next(self._number), entry))
        if full:
            staying = [place for place in self._queue if place[2].id in self._taken]
            if left := len(self._queue) - len(staying):
                self._counts[f"refused_{LIMIT}"] += left
            self._queue = staying
        given = [heapq.heappop(self._queue) for _ in range(min(want, len(self._queue)))]
        self._held.update((place[2].id, place) for place in given)
        return Exchange(
            State.FULL if full else State.OPEN,
            tuple(entry for _, _, entry in given),
            frozenset(entry.id for _, _, entry in given if entry.id in self._taken),
            len(self._queue),
            len(self._held),
            dict(self._counts),
        )

    def take(self, pages: Sequence[tuple[bytes, bytes]]) -> list[Taken]:
        """As the port says."""
        return [self._take(page, entry) for page, entry in pages]

    def _take(self, page: bytes, entry: bytes) -> Taken:
        if page not in self._captured and len(self._captured) >= self._most_pages:
            return Taken.FULL
        self._seen.add(page)
        if self._captured.setdefault(page, entry) != entry:
            return Taken.BEFORE
        self._taken.add(entry)
        return Taken.OURS

    def give_back(self, entries: Sequence[bytes]) -> None:
        """As the port says."""
        for id in entries:
            if place := self._held.pop(id, None):
                heapq.heappush(self._queue, place)
