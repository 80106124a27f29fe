"""Users for the tests, and browsers that are signed in as one of them."""

import unicodedata
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.quick_hashes import QUICK
from tests.support.screens import post
from tests.support.seed import NOW
from wenhen.accounts.model import Token, User
from wenhen.accounts.sessions import make_api_token
from wenhen.accounts.users import fold_user_name
from wenhen.context.store_and_queue import Store
from wenhen.context.use_cases import Acting
from wenhen.kit.rights import RIGHTS, Right, Role
from wenhen.settings.dashboard_and_sign_in import OutwardSettings

PASSWORD = "河堤上的槐树 1987"


@cache
def kept() -> str:
    """The password as it is kept; hashing takes its time."""
    return QUICK.hash(unicodedata.normalize("NFKC", PASSWORD))


def add_user(store: Store, name: str = "沈 Yan", role: Role = Role.OPERATOR, **values: object) -> User:
    """A user with the password above."""
    added = datetime(2026, 3, 1, tzinfo=UTC)
    user = User(id=fold_user_name(name), name=name, role=role, password=kept(), added_at=added, **values)  # type: ignore[arg-type]  # the test names fields
    store.users.add(user)
    return user


SETTINGS = SimpleNamespace(dashboard=OutwardSettings())


def acting_on(store: Store, *, clock: Callable[[], datetime] = lambda: NOW) -> Acting:
    """Somebody called test who may do everything, for use cases that ask for the store and the time alone."""
    return Acting(cast(Any, SimpleNamespace(store=store, now=clock, settings=SETTINGS)), "test", frozenset(Right))


def add_token(
    store: Store, user: User, scopes: Collection[Right] | None = None, days: int | None = 30
) -> tuple[Token, str]:
    """A token of the user and its text, by default with all rights of the role."""
    return make_api_token(acting_on(store), user, "test", RIGHTS[user.role] if scopes is None else scopes, days)


def sign_in(client: FlaskClient, name: str = "沈 Yan", password: str = PASSWORD, **more: str) -> TestResponse:
    """Fill in the form."""
    return post(client, "/sign-in/", form_at="/sign-in/", name=name, password=password, **more)


def signed_in(app: Flask, name: str = "沈 Yan") -> FlaskClient:
    """A browser that is signed in."""
    client = app.test_client()
    assert sign_in(client, name).status_code == 303
    return client


def inside(client: FlaskClient) -> bool:
    """Whether the browser sees the queue."""
    return client.get("/suspects/").status_code == 200
