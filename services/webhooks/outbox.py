"""Webhooks: cases that are new or changed are put into the outbox, and what is in it is sent until it is taken.

Nothing has to be told when a case is written: the sweep compares each case that was written lately with what was last
told of it. So no change is lost, whoever made it and wherever a process died; a receiver may get one twice, under the
same id.
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from crawler.isolated.child_bounds import ReadingBounds
from crawler.isolated.read_in_child import read
from services.cases.changed_cases import changed_since
from services.context import Product
from services.webhooks.call import ANSWER, Call
from services.webhooks.registry import whose
from services.webhooks.what_is_told import state_of, told_of
from store.errors import NotFound, SetupError, Unreadable
from store.failures import failure
from store.messages import Message
from store.records import Case, Delivery, Event, Webhook
from store.rules.backoff import DELIVERY

_MARK: Final = "webhooks"  # up to when cases were compared
_BOUNDS: Final = ReadingBounds(seconds=5, memory=300, output=1, patience=20)  # seconds for a call in all
_LEASE: Final = timedelta(minutes=2)
_AT_ONCE: Final = 8
_OF_ONE_TASK: Final = 40  # deliveries; the next sweep sends for the others


def announce_cases(product: Product) -> None:
    """Put what webhooks are to be told of into the outbox, and have what is due sent."""
    store, hooks = product.store.webhooks, product.store.webhooks.all()
    mark = product.store.marks.get(_MARK) or {}
    if not hooks:
        if mark:
            product.store.marks.set(_MARK, {})
        return
    since = mark.get("at")
    # The very first time what there is already is only noted.
    told = hooks if isinstance(since, datetime) else []
    now = product.now()
    for cases in changed_since(since if isinstance(since, datetime) else None, store.changed_cases):
        _announce(product, cases, told, now)
    product.store.marks.set(_MARK, {"at": now})
    if store.has_due(now):
        product.queue.deliver()


def _announce(product: Product, cases: Sequence[Case], hooks: Sequence[Webhook], now: datetime) -> None:
    store = product.store.webhooks
    before = store.told([case.id for case in cases])
    changed = {case.id: state_of(case) for case in cases}
    changed = {id: state for id, state in changed.items() if before.get(id) != state}
    deliveries = []
    for case in cases:
        if case.id in changed:
            event = Event.CASE_CHANGED if case.id in before else Event.CASE_NEW
            deliveries += [delivery_of(hook, event, case, now) for hook in hooks if event in hook.events]
    # In this order: cut short between the two, the same deliveries are offered again, under the same ids.
    store.offer(deliveries)
    store.remember(changed)


def delivery_of(hook: Webhook, event: Event, case: Case, now: datetime) -> Delivery:
    """What this webhook is told of the case as it stands."""
    id = sha256(f"{hook.id} {event} {case.id} {case.updated_at.isoformat()}".encode()).hexdigest()[:24]
    body = {"id": id, "event": event, "at": now.isoformat(), "case": told_of(case)}
    return Delivery(
        id=id,
        webhook_id=hook.id,
        event=event,
        subject=f"case:{case.number}",
        body=json.dumps(body, ensure_ascii=False),
        made_at=now,
        due=now,
    )


def deliver(product: Product) -> None:
    """Send what is due; what is not taken is due again after a growing pause."""
    due = product.store.webhooks.take_due(product.now(), _LEASE, _OF_ONE_TASK)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        list(threads.map(lambda one: _send(product, one), due))


def _send(product: Product, delivery: Delivery) -> None:
    store = product.store.webhooks
    try:
        hook = store.get(delivery.webhook_id)
    except NotFound:  # removed meanwhile, with its deliveries
        return
    private, status, problem = product.settings.dashboard.private_webhooks, None, None
    try:
        hook = replace(hook, secret=product.seal.opened(hook.secret, whose(hook.id)))
        status, problem = _post(hook, delivery, product.now(), private=private)
    except SetupError as error:
        problem = error.message
    now = product.now()
    if problem is not None:
        due = now + DELIVERY.after(delivery.tries + 1)
        store.refused(delivery.id, now, due=due, status=status, problem=problem)
    elif status is not None:
        store.taken(delivery.id, now, status)


def _post(hook: Webhook, delivery: Delivery, now: datetime, *, private: bool) -> tuple[int | None, Message | None]:
    """The status of the answer, and what was wrong; None: it was taken. Who answers may be anybody, so that a child
    listens to it.
    """
    call = Call(hook.url, hook.secret, delivery.event, delivery.id, delivery.body, int(now.timestamp()), private)
    try:
        answer: tuple[int | None, Message | None] = read("services.webhooks.call:post", call, bounds=_BOUNDS)
    except Unreadable as error:
        return None, failure(error, ANSWER)
    return answer
