"""Alerts at a moment, and a mailbox that they reach."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from wenhen.alerts.notifications import create_notifications, send_due_letters
from wenhen.runtime.wiring import App


@dataclass
class Mailbox:
    """A real SMTP server's letters; it refuses so many first."""

    refusals: int = 0
    letters: list[EmailMessage] = field(default_factory=list)
    port: int = 0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.refusals:
            self.refusals -= 1
            return "451 try again later"
        parsed = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(parsed, EmailMessage)
        self.letters.append(parsed)
        return "250 OK"


def at(product: App, now: datetime, *, private: bool = True) -> App:
    """The product at another time; loopback counts as private."""
    dashboard = product.settings.dashboard.model_copy(update={"private_webhooks": private})
    settings = product.settings.model_copy(update={"dashboard": dashboard})
    return replace(product, settings=settings, now=lambda: now)


def turn(app: App) -> None:
    """What the sweep and the worker that it calls do."""
    create_notifications(app)
    send_due_letters(app)
