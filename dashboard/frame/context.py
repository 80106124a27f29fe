"""What the screens may use, handed in by the composition root."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, cast

from flask import current_app, g

from dashboard.frame.language import catalogue
from services.acting import Acting
from services.context import Product
from services.people.sealing import Seal
from store.ports import Store
from store.records import User


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


@dataclass(frozen=True, slots=True)
class Services:
    """The product behind the screens."""

    product: Product
    health: Health

    @property
    def store(self) -> Store:
        """What is kept."""
        return self.product.store

    def clock(self) -> datetime:
        """The time, aware and in UTC."""
        return self.product.now()


KEY = "wenhen"


def services() -> Services:
    """The product behind the application that serves the present request."""
    return cast("Services", current_app.extensions[KEY])


def seal() -> Seal:
    """What secrets are sealed with, under the key of the application that serves the present request."""
    key = current_app.secret_key
    assert key  # create_app asks for one
    return Seal(key)


def acting() -> Acting:
    """The present user, as the use cases know who acts."""
    account: User | None = g.get("account")
    rights = frozenset(g.get("rights", ()))
    return Acting(services().product, g.user, rights, account.id if account else None, g.get("token"))
