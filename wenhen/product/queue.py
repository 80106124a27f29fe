"""Define the task queue, and the shares by which workers divide their time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from wenhen.kit.progress import OwnerKind, Step
from wenhen.product.store import Store

# Shares of the workers' time, so that the backlog of one share delays no other. Each site has a share. Work that a
# person waits for, and pages of pursued cases, have shares of their own with more weight.


class QueueShare(NamedTuple):
    """A share. weight: its part of the workers' time, relative to a site with 1, while both have waiting work."""

    name: str
    weight: int = 1


# "!" sorts before all letters and is in no site id, so these come first among shares with the same turn.
PERSON_SHARE: Final = QueueShare("!person", 16)  # submitted or retried by hand: few records, and a person waits
PURSUED_SHARE: Final = QueueShare("!pursued", 4)  # pages of pursued cases
WORKS_SHARE: Final = QueueShare("!works", 4)  # new works
BACKGROUND_SHARE: Final = QueueShare("!background")  # nobody waits: the daily re-match, outdated fingerprints


def group_by_share(store: Store, kind: OwnerKind, ids: Sequence[str]) -> dict[QueueShare, list[str]]:
    """Return the share of each record. A page without a watched site has the share of its host. Raises
    `Unavailable`.
    """
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


# The queue as steps and use cases see it. It only sends work; the next step of a record is in the store.


class Queue(Protocol):
    """Sends tasks, and counts those that wait. Raises `Unavailable`."""

    def step(self, kind: OwnerKind, id: str, step: Step, share: QueueShare, *, begun: bool = False) -> None:
        """Queue the next step of a record that must run alone.

        begun: the record has completed a step, so it goes before others of its share.
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
        """Queue the next step of records that may run in a batch.

        Records that wait already move to the share with more weight; with `unless_waiting` they stay.
        """

    def crawl(self, run_id: str, *, soon: bool = False) -> None:
        """Call another crawler for a stored run. soon: before scheduled crawls."""

    def deliver(self) -> None: ...  # the outbox of webhooks
    def evidence(self) -> None: ...  # due exhibits and time stamps
    def reports(self) -> None: ...  # reports that are made in the background
    def listings(self) -> None: ...  # requested searches, and what search engines list
    def backup(self) -> None: ...  # a backup that was begun on screen
    def regions(self) -> None: ...  # the next capture from a region
    def count_waiting(self) -> dict[str, int]:
        """Count the records or tasks that wait in each queue, without those that a worker holds."""

    def oldest(self) -> dict[str, datetime]:
        """Return since when the oldest entry of each non-empty queue waits."""

    def workers(self) -> dict[str, list[str]]:
        """Return the workers that answer, with the queues of each."""

    def ping(self) -> str: ...  # the version of the server
