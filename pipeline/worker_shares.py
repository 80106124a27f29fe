"""Among whom the workers' time is divided, so that the backlog of one delays no other.

Each site has a share. What a person waits for, and what is known to be pursued, have shares of their own, which get
more turns for the time that they take.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from store.ports import Store
from store.records import OwnerKind


class QueueShare(NamedTuple):
    """weight: how much of the workers' time it gets, beside a site with 1, while both have work that waits."""

    name: str
    weight: int = 1


# "!" is before all letters and in no site's id: of two whose turn it is, these come first.
PERSON: Final = QueueShare("!person", 16)  # brought, or tried again by hand: few, and somebody looks at the screen
PURSUED: Final = QueueShare("!pursued", 4)  # pages of cases that are pursued
WORKS: Final = QueueShare("!works", 4)  # works that came in
BACKGROUND: Final = QueueShare("!background")  # what nobody waits for: the daily re-match, fingerprints made anew


def shares_of(store: Store, kind: OwnerKind, ids: Sequence[str]) -> dict[QueueShare, list[str]]:
    """Whose each of these records is; of a page that no watched site has, its host's. Raises `Unavailable`."""
    if not ids:
        return {}
    if kind is OwnerKind.WORK:
        return {WORKS: list(ids)}
    sites, pursued = store.pages.sites(ids), store.cases.pursued(ids)
    shares: dict[QueueShare, list[str]] = {}
    for id in ids:
        if id in sites:
            shares.setdefault(PURSUED if id in pursued else QueueShare(sites[id]), []).append(id)
    return shares
