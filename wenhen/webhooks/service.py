"""Register webhooks, announce case changes to them, and deliver from the outbox."""

import json
import secrets
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from crawler.sandbox.pool import read_in_child
from wenhen.cases.model import Case
from wenhen.cases.service import find_changed_cases
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.clock import DELIVERY_BACKOFF
from wenhen.kit.errors import BadInput, Message, NotFound, SetupError, Unreadable, failure
from wenhen.kit.rights import Right
from wenhen.kit.size_and_time_limits import WEBHOOK_BOUNDS
from wenhen.webhooks.call import MAX_ANSWER_BYTES, WebhookCall
from wenhen.webhooks.model import Delivery, Event, Webhook, case_payload, case_state_digest

MAX_URL_CHARACTERS: Final = 2_000
CASE_EVENTS: Final = (Event.CASE_NEW, Event.CASE_CHANGED)


@audited("webhook.add")
def add_webhook(acting: Acting, url: str, events: Collection[Event]) -> ChangeResult[Webhook]:
    """Create a webhook. Its secret is stored encrypted, and is to be shown once. Raises `BadInput`."""
    acting.require(Right.WEBHOOKS)
    hook = Webhook(
        id=secrets.token_hex(6),
        url=_check_url(url),
        secret=secrets.token_urlsafe(32),
        events=_check_events(events),
        created_at=acting.product.now(),
    )
    sealed = acting.product.seal.seal(hook.secret, webhook_owner(hook.id))
    acting.product.store.webhooks.put(replace(hook, secret=sealed))
    return change_result(hook, AuditLine(f"webhook:{hook.id}", new=f"{hook.url} {' '.join(hook.events)}"))


@audited("webhook.change")
def set_webhook_paused(acting: Acting, id: str, paused: bool) -> ChangeResult[Webhook]:
    """Pause a webhook, while its outbox fills, or resume it. Raises `NotFound`."""
    acting.require(Right.WEBHOOKS)
    store = acting.product.store.webhooks
    hook = replace(store.get(id), paused_at=acting.product.now() if paused else None)
    store.put(hook)
    return change_result(hook, AuditLine(f"webhook:{id}", new="paused" if paused else "running"))


@audited("webhook.remove")
def remove_webhook(acting: Acting, id: str) -> ChangeResult[None]:
    """Delete a webhook with its deliveries. Raises `NotFound`."""
    acting.require(Right.WEBHOOKS)
    store = acting.product.store.webhooks
    hook = store.get(id)
    store.remove(id)
    return change_result(None, AuditLine(f"webhook:{id}", old=hook.url))


def send_test_delivery(acting: Acting, id: str) -> Delivery:
    """Put a test event into the outbox. Raises `NotFound`."""
    acting.require(Right.WEBHOOKS)
    store, now = acting.product.store.webhooks, acting.product.now()
    hook = store.get(id)
    delivery = Delivery(
        id=secrets.token_hex(12),
        webhook_id=hook.id,
        event=Event.TEST,
        subject=f"webhook:{hook.id}",
        body=f'{{"event": "{Event.TEST}", "at": "{now.isoformat()}"}}',
        made_at=now,
        due=now,
    )
    store.offer([delivery])
    return delivery


@audited("webhook.again")
def resend_delivery(acting: Acting, id: str) -> ChangeResult[Delivery]:
    """Send a delivery again, at the next run of the reconciler. Raises `NotFound`."""
    acting.require(Right.WEBHOOKS)
    delivery = acting.product.store.webhooks.again(id, acting.product.now())
    return change_result(delivery, AuditLine(f"webhook:{delivery.webhook_id}", new=delivery.id))


def webhook_owner(id: str) -> str:
    """Return the owner name under which the secret of a webhook is encrypted."""
    return f"webhook:{id}"


def _check_url(url: str) -> str:
    url = url.strip()
    try:
        parts = urlsplit(url)
        web = parts.scheme in ("http", "https") and parts.port != 0  # raises for a port that is not a number
        usable = web and bool(parts.hostname) and parts.username is None
    except ValueError:
        usable = False
    if not usable or len(url) > MAX_URL_CHARACTERS or not url.isprintable() or " " in url:
        raise BadInput("webhooks.bad_url")
    return url


def _check_events(events: Collection[Event]) -> tuple[Event, ...]:
    if not events or not set(events) <= set(CASE_EVENTS):
        raise BadInput("webhooks.no_event")
    return tuple(event for event in CASE_EVENTS if event in events)


# Announcements: new and changed cases are put into the outbox, and sent until they are accepted. Writers of cases
# announce nothing. The reconciler compares each recently written case with its last announced state. So no change is
# lost, wherever a process died. A receiver may get a delivery twice, with the same id.


_WEBHOOKS_MARK: Final = "webhooks"  # time up to which cases were compared
_DELIVERY_LEASE: Final = timedelta(minutes=2)
_MAX_CONCURRENT_CALLS: Final = 8
_MAX_DELIVERIES_PER_TASK: Final = 40  # deliveries per task; the next run of the reconciler requests the others


def announce_cases(product: Product) -> None:
    """Put case changes into the outbox, and request the delivery of what is due."""
    store, hooks = product.store.webhooks, product.store.webhooks.all()
    mark = product.store.marks.get(_WEBHOOKS_MARK) or {}
    if not hooks:
        if mark:
            product.store.marks.set(_WEBHOOKS_MARK, {})
        return
    since = mark.get("at")
    # At the very first run, existing cases are only recorded.
    informed = hooks if isinstance(since, datetime) else []
    now = product.now()
    for cases in find_changed_cases(since if isinstance(since, datetime) else None, store.changed_cases):
        _put_announcements(product, cases, informed, now)
    product.store.marks.set(_WEBHOOKS_MARK, {"at": now})
    if store.has_due(now):
        product.queue.deliver()


def _put_announcements(product: Product, cases: Sequence[Case], hooks: Sequence[Webhook], now: datetime) -> None:
    store = product.store.webhooks
    before = store.announced_states([case.id for case in cases])
    changed = {case.id: case_state_digest(case) for case in cases}
    changed = {id: state for id, state in changed.items() if before.get(id) != state}
    deliveries = []
    for case in cases:
        if case.id in changed:
            event = Event.CASE_CHANGED if case.id in before else Event.CASE_NEW
            deliveries += [make_delivery(hook, event, case, now) for hook in hooks if event in hook.events]
    # In this order: after a crash in between, the same deliveries are offered again, with the same ids.
    store.offer(deliveries)
    store.remember(changed)


def make_delivery(hook: Webhook, event: Event, case: Case, now: datetime) -> Delivery:
    """Make the delivery of the current case for a webhook."""
    id = sha256(f"{hook.id} {event} {case.id} {case.updated_at.isoformat()}".encode()).hexdigest()[:24]
    body = {"id": id, "event": event, "at": now.isoformat(), "case": case_payload(case)}
    return Delivery(
        id=id,
        webhook_id=hook.id,
        event=event,
        subject=f"case:{case.number}",
        body=json.dumps(body, ensure_ascii=False),
        made_at=now,
        due=now,
    )


def send_due_deliveries(product: Product) -> None:
    """Send the due deliveries. Those that are not accepted are due again after an exponential pause."""
    due = product.store.webhooks.take_due(product.now(), _DELIVERY_LEASE, _MAX_DELIVERIES_PER_TASK)
    with ThreadPoolExecutor(_MAX_CONCURRENT_CALLS) as threads:
        list(threads.map(lambda delivery: _send_delivery(product, delivery), due))


def _send_delivery(product: Product, delivery: Delivery) -> None:
    store = product.store.webhooks
    try:
        hook = store.get(delivery.webhook_id)
    except NotFound:  # deleted meanwhile, with its deliveries
        return
    private, status, problem = product.settings.dashboard.private_webhooks, None, None
    try:
        hook = replace(hook, secret=product.seal.open_sealed(hook.secret, webhook_owner(hook.id)))
        status, problem = _post_in_child(hook, delivery, product.now(), private=private)
    except SetupError as error:
        problem = error.message
    now = product.now()
    if problem is not None:
        due = now + DELIVERY_BACKOFF.after(delivery.tries + 1)
        store.mark_refused(delivery.id, now, due=due, status=status, problem=problem)
    elif status is not None:
        store.mark_delivered(delivery.id, now, status)


def _post_in_child(
    hook: Webhook, delivery: Delivery, now: datetime, *, private: bool
) -> tuple[int | None, Message | None]:
    """Send a call in a sandboxed child, because the receiver is untrusted.

    Returns the status and the problem; the problem is None if the call was accepted.
    """
    call = WebhookCall(hook.url, hook.secret, delivery.event, delivery.id, delivery.body, int(now.timestamp()), private)
    try:
        answer: tuple[int | None, Message | None] = read_in_child(
            "wenhen.webhooks.call:post_call", call, bounds=WEBHOOK_BOUNDS
        )
    except Unreadable as error:
        return None, failure(error, MAX_ANSWER_BYTES)
    return answer
