"""What the screens may use, handed in by the composition root."""

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from flask import current_app, g

from services.acting import Acting
from services.context import Product
from services.sealed_secrets import Seal
from services.upkeep.health import Health
from store.ports import Store
from store.records import User


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
    """What secrets are sealed with."""
    return services().product.seal


def acting() -> Acting:
    """The present user, as the use cases know who acts."""
    account: User | None = g.get("account")
    rights = frozenset(g.get("rights", ()))
    return Acting(services().product, g.user, rights, account.id if account else None, g.get("token"))
