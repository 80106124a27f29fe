"""Webhooks as the administrator changes them; each change is in the audit log."""

import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from store.errors import BadInput
from store.ports import Store
from store.records import Delivery, Event, Webhook

URL_LENGTH: Final = 2_000
TELLABLE: Final = (Event.CASE_NEW, Event.CASE_CHANGED)


@dataclass(frozen=True, slots=True)
class Hooks:
    """What can be done with webhooks. Raises `BadInput` and `NotFound`."""

    store: Store
    clock: Callable[[], datetime]
    by: str

    def add(self, url: str, events: Collection[Event]) -> Webhook:
        """A new webhook; its secret is to be shown once."""
        hook = Webhook(
            id=secrets.token_hex(6),
            url=_checked(url),
            secret=secrets.token_urlsafe(32),
            events=_known(events),
            created_at=self.clock(),
        )
        self.store.webhooks.put(hook)
        self._note("webhook.add", hook, new=f"{hook.url} {' '.join(hook.events)}")
        return hook

    def set_paused(self, id: str, paused: bool) -> Webhook:
        """Rest, with an outbox that fills; or go on."""
        old = self.store.webhooks.get(id)
        hook = replace(old, paused_at=self.clock() if paused else None)
        self.store.webhooks.put(hook)
        self._note("webhook.change", hook, new="paused" if paused else "running")
        return hook

    def remove(self, id: str) -> None:
        """With its deliveries."""
        hook = self.store.webhooks.get(id)
        self.store.webhooks.remove(id)
        self._note("webhook.remove", hook, old=hook.url)

    def test(self, id: str) -> Delivery:
        """Put something into the outbox that tells nothing, to see whether it arrives."""
        hook, now = self.store.webhooks.get(id), self.clock()
        delivery = Delivery(
            id=secrets.token_hex(12),
            webhook_id=hook.id,
            event=Event.TEST,
            subject=f"webhook:{hook.id}",
            body=f'{{"event": "{Event.TEST}", "at": "{now.isoformat()}"}}',
            made_at=now,
            due=now,
        )
        self.store.webhooks.offer([delivery])
        return delivery

    def again(self, id: str) -> Delivery:
        """Send a delivery once more, at the next sweep."""
        delivery = self.store.webhooks.again(id, self.clock())
        self.store.audit.add(self.clock(), self.by, "webhook.again", f"webhook:{delivery.webhook_id}", new=delivery.id)
        return delivery

    def _note(self, action: str, hook: Webhook, old: str | None = None, new: str | None = None) -> None:
        self.store.audit.add(self.clock(), self.by, action, f"webhook:{hook.id}", old, new)


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
