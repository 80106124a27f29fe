"""Holders who have all that a notice needs, and notices that were sent."""

from datetime import datetime, timedelta

from tests.support.acting import by
from tests.support.seed import NOW
from wenhen.context.store_and_queue import Store
from wenhen.holders.model import Holder, Paper, PaperKind
from wenhen.kit.clock import china_day, start_of_day
from wenhen.notices.model import Notice, SentBy
from wenhen.notices.sending import record_sent_notice
from wenhen.runtime.wiring import App


def paper(kind: PaperKind, now: datetime = NOW, *, days: int | None = 365) -> Paper:
    """A paper that began a year ago and ends in so many days."""
    today = china_day(now)
    return Paper(
        id=f"p-{kind}",
        kind=kind,
        title=f"{kind} 2025-A-0001",
        valid_from=start_of_day(today - timedelta(days=365)),
        valid_until=None if days is None else start_of_day(today + timedelta(days=days)),
        added_at=now,
        added_by="沈",
    )


def ready_holder(store: Store, name: str = "河岸文艺社", now: datetime = NOW, **changed: object) -> Holder:
    """A holder in whose name a notice can be sent, with these papers and no others."""
    values = {
        "contact": "010-1234567",
        "address": "北京市朝阳区 1 号",
        "identity": "91110105MA00000000",
        "representative": "渡口律师事务所",
        "papers": tuple(paper(kind, now) for kind in PaperKind),
        **changed,
    }
    holder = Holder(id=name, **values)  # type: ignore[arg-type]  # the test names fields
    store.holders.put(holder)
    for kept in store.holders.get(name).papers:
        store.holders.remove_paper(name, kept.id)
    for one in holder.papers:
        store.holders.add_paper(name, one)
    return holder


def sent(product: App, notice: Notice) -> Notice:
    """The notice after it was sent by post."""
    return record_sent_notice(by(product), notice.id, SentBy.POST)
