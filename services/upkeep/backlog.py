"""How much waits, and since when: messages in the queues, records whose time has come, sites whose crawl is due."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pipeline.run_step import records_of
from services.context import Product
from store.records import OwnerKind


@dataclass(frozen=True, slots=True)
class Backlog:
    """waiting: messages in each queue; sent: when the oldest of each was sent. due: since when the oldest unfinished
    record of each kind could be worked at; site_due: since when the site is due that waits longest.
    """

    waiting: Mapping[str, int]
    sent: Mapping[str, datetime]
    due: Mapping[OwnerKind, datetime]
    site_due: datetime | None


def backlog(product: Product) -> Backlog:
    """Look. Raises `Unavailable`."""
    now = product.now()
    due: dict[OwnerKind, datetime] = {}
    for kind in OwnerKind:
        records = records_of(product, kind)
        for id, _ in records.due(now, 1):
            due[kind] = records.get(id).progress.due
    sites = [site.due for site in product.store.sites.due(now)]
    return Backlog(product.queue.waiting(), product.queue.oldest(), due, min(sites, default=None))
