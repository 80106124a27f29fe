"""Webhooks as the administrator changes them."""

import secrets
from collections.abc import Collection
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from store.errors import BadInput
from store.records import Delivery, Event, Webhook
from store.rules.role_rights import Right

URL_LENGTH: Final = 2_000
TELLABLE: Final = (Event.CASE_NEW, Event.CASE_CHANGED)


@audited("webhook.add")
def add(acting: Acting, url: str, events: Collection[Event]) -> Changed[Webhook]:
    """A new webhook; its secret, which is kept sealed, is to be shown once. Raises `BadInput`."""
    acting.require(Right.WEBHOOKS)
    hook = Webhook(
        id=secrets.token_hex(6),
        url=_checked(url),
        secret=secrets.token_urlsafe(32),
        events=_known(events),
        created_at=acting.product.now(),
    )
    sealed = acting.product.seal.seal(hook.secret, whose(hook.id))
    acting.product.store.webhooks.put(replace(hook, secret=sealed))
    return changed(hook, Line(f"webhook:{hook.id}", new=f"{hook.url} {' '.join(hook.events)}"))


@audited("webhook.change")
def set_paused(acting: Acting, id: str, paused: bool) -> Changed[Webhook]:
    """Rest, with an outbox that fills; or go on. Raises `NotFound`."""
    acting.require(Right.WEBHOOKS)
    store = acting.product.store.webhooks
    hook = replace(store.get(id), paused_at=acting.product.now() if paused else None)
    store.put(hook)
    return changed(hook, Line(f"webhook:{id}", new="paused" if paused else "running"))


@audited("webhook.remove")
def remove(acting: Acting, id: str) -> Changed[None]:
    """Tell it no more; its deliveries go with it. Raises `NotFound`."""
    acting.require(Right.WEBHOOKS)
    store = acting.product.store.webhooks
    hook = store.get(id)
    store.remove(id)
    return changed(None, Line(f"webhook:{id}", old=hook.url))


def test(acting: Acting, id: str) -> Delivery:
    """Put something into the outbox that tells nothing, to see whether it arrives. Raises `NotFound`."""
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
def again(acting: Acting, id: str) -> Changed[Delivery]:
    """Send a delivery once more, at the next sweep. Raises `NotFound`."""
    acting.require(Right.WEBHOOKS)
    delivery = acting.product.store.webhooks.again(id, acting.product.now())
    return changed(delivery, Line(f"webhook:{delivery.webhook_id}", new=delivery.id))


def whose(id: str) -> str:
    """To whom a webhook's secret belongs, as it is sealed."""
    return f"webhook:{id}"


def _checked(url: str) -> str:
    url = url.strip()
    try:
        parts = urlsplit(url)
        web = parts.scheme in ("http", "https") and parts.port != 0  # a port that is no number raises
        usable = web and bool(parts.hostname) and parts.username is None
    except ValueError:
        usable = False
    if not usable or len(url) > URL_LENGTH or not url.isprintable() or " " in url:
        raise BadInput("webhooks.bad_url")
    return url


def _known(events: Collection[Event]) -> tuple[Event, ...]:
    if not events or not set(events) <= set(TELLABLE):
        raise BadInput("webhooks.no_event")
    return tuple(event for event in TELLABLE if event in events)
