"""Records whose last try failed: which there are, and how one is tried again."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

from pipeline.worker_shares import PERSON
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from store.errors import Conflict, Unavailable
from store.messages import Message
from store.records import Owner, OwnerKind, Page, Step, Work
from store.records.upkeep.problem import PIPELINE
from store.rules.role_rights import Right

_SHOWN: Final = 100


class SetAside(NamedTuple):
    """A record whose last try failed."""

    kind: OwnerKind
    id: str
    name: str
    step: Step  # where it would begin again
    problem: Message | None


def set_aside(product: Product) -> list[SetAside]:
    """Those that were set aside, at most 100 of each kind."""
    store = product.store
    works = store.works.many(store.works.set_aside_ids(_SHOWN)).values()
    pages = store.pages.many(store.pages.set_aside_ids(_SHOWN)).values()
    return [_row(OwnerKind.WORK, work, work.title) for work in works] + [
        _row(OwnerKind.PAGE, page, page.url) for page in pages
    ]


def names_of(product: Product, owners: Iterable[Owner]) -> dict[str, str]:
    """The titles of works and the addresses of pages behind ``kind:id``; those that are gone are left out."""
    store, ids = product.store, defaultdict[OwnerKind, list[str]](list)
    for owner in owners:
        ids[owner.kind].append(owner.id)
    works = {str(Owner.of_work(work.id)): work.title for work in store.works.many(ids[OwnerKind.WORK]).values()}
    return works | {str(Owner.of_page(page.id)): page.url for page in store.pages.many(ids[OwnerKind.PAGE]).values()}


@audited("record.retry")
def try_again(acting: Acting, kind: OwnerKind, id: str) -> Changed[bool]:
    """Give a record that was set aside its failed step again; whether it could be queued at once.

    NotFound; Conflict: it was not set aside.
    """
    acting.require(Right.OPERATE)
    store = acting.product.store
    steps = store.works if kind is OwnerKind.WORK else store.pages
    step = failed_step(steps.get(id), kind)
    if not steps.restart(id, step, only_from={Step.SET_ASIDE}):
        raise Conflict("retrying.not_aside", kind=str(kind), id=id)
    store.problems.clear(PIPELINE, str(Owner(kind, id)))
    line = Line(str(Owner(kind, id)), new=str(step))
    try:
        acting.product.queue.step(kind, id, step, PERSON)
    except Unavailable:  # its next step is stored: the sweep queues it
        return changed(False, line)
    return changed(True, line)


def _row(kind: OwnerKind, record: Work | Page, name: str) -> SetAside:
    return SetAside(kind, record.id, name, failed_step(record, kind), record.progress.problem)


def failed_step(record: Work | Page, kind: OwnerKind) -> Step:
    """Where to begin again: where it failed, or at the first step."""
    return record.progress.failed_step or (Step.FINGERPRINT if kind is OwnerKind.WORK else Step.EXTRACT)
