"""What the screens may use, handed in by the composition root."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, cast

from flask import current_app

from dashboard.actions import Actions
from store.ports import Store
from store.records import OwnerKind, Step


class ServerState(NamedTuple):
    """Whether a server answers, and its version or what is wrong with it."""

    answers: bool
    detail: str


Health = Callable[[], Mapping[str, ServerState]]
Enqueue = Callable[[OwnerKind, str, Step], None]
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Services:
    """The ports behind the screens."""

    store: Store
    health: Health
    enqueue: Enqueue
    actions: Actions
    clock: Clock  # aware, UTC


KEY = "wenhen"


def services() -> Services:
    """The ports of the application that serves the present request."""
    return cast("Services", current_app.extensions[KEY])
