"""What the screens may use, handed in by the composition root."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, cast

from flask import current_app

from dashboard.actions import Actions
from dashboard.frame.language import catalogue
from store.ports import Store
from store.records import OwnerKind, Step


class Said(NamedTuple):
    """Words of the catalogue, with their figures."""

    key: str
    figures: Mapping[str, object]


class ServerState(NamedTuple):
    """Whether a server answers, and its version or what is wrong with it; `said` is the same for readers."""

    answers: bool
    detail: str
    said: tuple[Said, ...] = ()


def told(answers: bool, *said: Said) -> ServerState:
    """A state in words of the catalogue, in English for programs and logs."""
    return ServerState(answers, ", ".join(catalogue().text("en", key, **figures) for key, figures in said), said)


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
