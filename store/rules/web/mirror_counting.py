"""Hosts that carry the same: for each mirror, the host that it is counted as, which is no mirror itself."""

from collections.abc import Mapping


def hosts_counted_as(host: str, mains: Mapping[str, str]) -> tuple[str, ...]:
    """A host and its mirrors; of a mirror only itself. mains: for each mirror, the host that it is counted as.

    >>> hosts_counted_as("a.test", {"m.a.test": "a.test"}), hosts_counted_as("m.a.test", {"m.a.test": "a.test"})
    (('a.test', 'm.a.test'), ('m.a.test',))
    """
    return (host, *sorted(mirror for mirror, main in mains.items() if main == host))


def same_site(host: str, mains: Mapping[str, str]) -> tuple[str, ...]:
    """All hosts that carry the same site as this one, the one that they are counted as first.

    >>> same_site("m.a.test", {"m.a.test": "a.test"})
    ('a.test', 'm.a.test')
    """
    return hosts_counted_as(mains.get(host, host), mains)


def newly_counted(host: str, main: str, mains: Mapping[str, str]) -> tuple[str, str] | None:
    """The host that becomes a mirror, and of which, where one is found to carry the pages of another.

    Each stands for what it is counted as; None where both are counted as one already.

    >>> newly_counted("c.test", "m.a.test", {"m.a.test": "a.test"})
    ('c.test', 'a.test')
    """
    mirror, counted_as = mains.get(host, host), mains.get(main, main)
    return None if mirror == counted_as else (mirror, counted_as)


def joined(host: str, main: str, mains: Mapping[str, str]) -> dict[str, str]:
    """The mirrors afterwards: what was counted as the new mirror goes along."""
    new = newly_counted(host, main, mains)
    if new is None:
        return dict(mains)
    mirror, counted_as = new
    return {one: counted_as if before == mirror else before for one, before in mains.items()} | {mirror: counted_as}


def settled(mains: Mapping[str, str]) -> dict[str, str]:
    """What two who joined hosts at once have left, so that none is counted as a mirror; a ring as its first by name.

    >>> settled({"a.test": "b.test", "b.test": "c.test"})
    {'a.test': 'c.test', 'b.test': 'c.test'}
    >>> settled({"a.test": "b.test", "b.test": "b.test"}), settled({"a.test": "b.test", "b.test": "a.test"})
    ({'a.test': 'b.test'}, {'b.test': 'a.test'})
    """
    ends = {host: _end(host, mains) for host in mains}
    return {host: end for host, end in ends.items() if host != end}


def _end(host: str, mains: Mapping[str, str]) -> str:
    way: list[str] = []
    while host in mains and host not in way:
        way.append(host)
        host = mains[host]
    return min(way[way.index(host) :]) if host in way else host
