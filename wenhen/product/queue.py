"""Define the task queue, and the shares by which workers divide their time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from wenhen.kit.progress import OwnerKind, Step
from wenhen.product.store import Store

# Among whom the workers' time is divided, so that the backlog of one delays no other.
#
# Each site has a share. What a person waits for, and what is known to be pursued, have shares of their own, which get
# more turns for the time that they take.


class QueueShare(NamedTuple):
    """weight: how much of the workers' time it gets, beside a site with 1, while both have work that waits."""

    name: str
    weight: int = 1


# "!" is before all letters and in no site's id: of two whose turn it is, these come first.
PERSON_SHARE: Final = QueueShare(
    "!person", 16
)  # brought, or tried again by hand: few, and somebody looks at the screen
PURSUED_SHARE: Final = QueueShare("!pursued", 4)  # pages of cases that are pursued
WORKS_SHARE: Final = QueueShare("!works", 4)  # works that came in
BACKGROUND_SHARE: Final = QueueShare("!background")  # what nobody waits for: the daily re-match, fingerprints made anew


def group_by_share(store: Store, kind: OwnerKind, ids: Sequence[str]) -> dict[QueueShare, list[str]]:
    """Whose each of these records is; of a page that no watched site has, its host's. Raises `Unavailable`."""
    if not ids:
        return {}
    if kind is OwnerKind.WORK:
        return {WORKS_SHARE: list(ids)}
    sites, pursued = store.pages.sites(ids), store.cases.pursued_pages(ids)
    shares: dict[QueueShare, list[str]] = {}
    for id in ids:
        if id in sites:
            shares.setdefault(PURSUED_SHARE if id in pursued else QueueShare(sites[id]), []).append(id)
    return shares


# The queue as steps and use cases see it: it says "now"; what is next stands in the store.


class Queue(Protocol):
    """Sends what is to be done, and says how much waits. Raises `Unavailable`."""

    def step(self, kind: OwnerKind, id: str, step: Step, share: QueueShare, *, begun: bool = False) -> None:
        """The next step of a record, which is to be done alone; begun: it has a step behind it, so that it goes before
        what else waits of its share.
        """

    def steps(
        self,
        kind: OwnerKind,
        ids: Sequence[str],
        step: Step,
        share: QueueShare,
        *,
        begun: bool = False,
        unless_waiting: bool = False,
    ) -> None:
        """The next step of records that may be done together. What waits already goes on waiting, in the share of more
        weight; `unless_waiting`, where it is.
        """

    def crawl(self, run_id: str, *, soon: bool = False) -> None:
        """Call for one more crawler for a run that is stored; soon: before all that nobody waits for."""

    def deliver(self) -> None: ...  # what waits in the outbox of webhooks
    def evidence(self) -> None: ...  # exhibits and time stamps that are due
    def reports(self) -> None: ...  # reports that are made in the background
    def waiting(self) -> dict[str, int]:
        """How many records, or other tasks, wait in each queue; those that a worker holds are left out."""

    def oldest(self) -> dict[str, datetime]:
        """Since when what waits longest does, for each queue that has something."""

    def workers(self) -> dict[str, list[str]]:
        """The workers that answer, with the queues that each serves."""

    def ping(self) -> str: ...  # the server's version
