"""Hosts that carry the same pages, shown and asked for as one."""

from collections import Counter
from collections.abc import Iterable, Mapping


def counted_as_one(rows: Iterable[tuple[str, int]], mains: Mapping[str, str]) -> list[tuple[str, int]]:
    """Counts by host with those of mirrors added to their main host's, the largest first."""
    counts: Counter[str] = Counter()
    for host, count in rows:
        counts[mains.get(host, host)] += count
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))


def hosts_counted_as(host: str, mains: Mapping[str, str]) -> tuple[str, ...]:
    """A host and its mirrors; of a mirror only itself.

    >>> hosts_counted_as("a.test", {"m.a.test": "a.test"}), hosts_counted_as("m.a.test", {"m.a.test": "a.test"})
    (('a.test', 'm.a.test'), ('m.a.test',))
    """
    return (host, *sorted(mirror for mirror, main in mains.items() if main == host))
