"""The dashboard over the real store."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.acting import by
from tests.support.people import add_token, add_user
from tests.support.screens import Caller, MakeApp, MakeCaller
from tests.support.seed import NOW, Seeder, healthy
from tests.support.servers.shared_apps import SharedApps, made
from wenhen.context.store_and_queue import Queue, QueueShare, Store
from wenhen.context.use_cases import Acting
from wenhen.kit.progress import OwnerKind, Step
from wenhen.kit.rights import RIGHTS, Right, Role
from wenhen.runtime.celery_queue import CeleryQueue
from wenhen.runtime.wiring import App
from wenhen.settings.dashboard_and_sign_in import SignInSettings


@pytest.fixture
def seed(store: Store) -> Seeder:
    """Fills the store."""
    return Seeder(store)


@pytest.fixture
def enqueued() -> list[tuple[OwnerKind, str, Step]]:
    """What the dashboard asked the queue for."""
    return []


@dataclass(frozen=True)
class Noting:
    """The real queue, and what was asked of it."""

    queue: Queue
    asked: list[tuple[OwnerKind, str, Step]]

    def step(self, kind: OwnerKind, id: str, step: Step, share: QueueShare, *, begun: bool = False) -> None:
        self.asked.append((kind, id, step))
        self.queue.step(kind, id, step, share, begun=begun)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.queue, name)


@pytest.fixture
def acting(product: App) -> Acting:
    """Somebody who may do everything, at the time of the seed."""
    return by(replace(product, now=lambda: NOW))


@pytest.fixture(scope="session")
def apps() -> SharedApps:
    return SharedApps()


@pytest.fixture
def make_app(product: App, enqueued: list[tuple[OwnerKind, str, Step]], apps: SharedApps) -> Iterator[MakeApp]:
    """The dashboard, with everybody its administrator unless told to ask for sign-in; `own` for a test that adds to it
    or takes from it.
    """

    def make(
        *,
        own: bool = False,
        sign_in: bool = False,
        clock: Callable[[], datetime] = lambda: NOW,
        api_per_minute: int = 600,
        dashboard: Mapping[str, object] | None = None,
        notice: Mapping[str, object] | None = None,
        signin: Mapping[str, Any] | None = None,
        discover: Mapping[str, object] | None = None,
    ) -> Flask:
        changes = {
            "discover": product.settings.discover.model_copy(update=discover),
            "dashboard": product.settings.dashboard.model_copy(update=dashboard),
            "notice": product.settings.notice.model_copy(update=notice),
            "signin": SignInSettings(**signin or {}),
        }
        behind = replace(
            product,
            now=clock,
            queue=cast(CeleryQueue, Noting(product.queue, enqueued)),
            settings=product.settings.model_copy(update=changes),
        )
        make_one = made if own else apps.take
        return make_one(behind, healthy, sign_in=sign_in, api_per_minute=api_per_minute)

    yield make
    apps.give_back()


@pytest.fixture
def client(make_app: MakeApp) -> FlaskClient:
    """A browser without script, not asked to sign in."""
    return make_app().test_client()


@pytest.fixture
def caller(make_app: MakeApp, store: Store) -> MakeCaller:
    """A program that acts for a user of this role, by default with all of the role's rights."""

    def make(role: Role = Role.ADMINISTRATOR, scopes: frozenset[Right] | None = None, **app: Any) -> Caller:
        user = add_user(store, f"user {role}", Role.ADMINISTRATOR)
        token, text = add_token(store, user, RIGHTS[role] if scopes is None else scopes)
        store.users.change(user.id, {"role": role})  # a token may have more scopes than its user's role has by now
        return Caller(make_app(sign_in=True, **app).test_client(), text, token.id)

    return make
