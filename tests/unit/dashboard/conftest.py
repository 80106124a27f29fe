"""The dashboard over the real store."""

from collections.abc import Callable
from datetime import datetime

import pytest
from flask import Flask
from flask.testing import FlaskClient

from dashboard.app import create_app
from store.ports import Store
from store.records import OwnerKind, Step
from tests.unit.dashboard.seed import NOW, Seeder, healthy


@pytest.fixture
def seed(store: Store) -> Seeder:
    """Fills the store."""
    return Seeder(store)


@pytest.fixture
def enqueued() -> list[tuple[OwnerKind, str, Step]]:
    """What the dashboard asked the queue for."""
    return []


MakeApp = Callable[..., Flask]


@pytest.fixture
def make_app(store: Store, enqueued: list[tuple[OwnerKind, str, Step]]) -> MakeApp:
    """The dashboard, with a password where one is given."""

    def make(password: str | None = None, clock: Callable[[], datetime] = lambda: NOW) -> Flask:
        return create_app(
            store,
            secret_key="only for tests",
            password=password,
            health=healthy,
            enqueue=lambda kind, id, step: enqueued.append((kind, id, step)),
            clock=clock,
        )

    return make


@pytest.fixture
def client(make_app: MakeApp) -> FlaskClient:
    """A browser without script, not asked to sign in."""
    return make_app().test_client()
