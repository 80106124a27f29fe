"""Users, as the administrator, the command and the first start change them."""

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.people import passwords
from store.errors import BadInput, Conflict, NotFound
from store.ports import Store, Users
from store.records import Role, User
from store.rules.role_rights import Right

NAME_LENGTH: Final = 60
FIRST: Final = "admin"  # name of the administrator that is made where there is nobody


def folded(name: str) -> str:
    """The id of a name: the same however it is typed."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def known(store: Store, name: str) -> User | None:
    """The user of this name, if there is one."""
    try:
        return store.users.get(folded(name))
    except NotFound:
        return None


@audited("user.add")
def add(acting: Acting, name: str, role: Role, password: str | None = None) -> Changed[tuple[User, str]]:
    """A new user, and the password: the one given, or one that has to be changed at the first sign-in.

    BadInput for a name or a password that cannot be used, Conflict for a name that somebody has.
    """
    acting.require(Right.USERS)
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        raise BadInput("people.name", most=NAME_LENGTH)
    given = password or passwords.one_time()
    if password:
        passwords.check(password, name)
    user = User(
        id=folded(name),
        name=name,
        role=role,
        password=passwords.hashed(given),
        added_at=acting.product.now(),
        must_change=password is None,
    )
    acting.product.store.users.add(user)
    return changed((user, given), Line(subject(user), new=str(role)))


@audited("user.role")
def set_role(acting: Acting, id: str, role: Role) -> Changed[User]:
    """Give the user another role; it holds from the next request on. NotFound; Conflict: the last administrator."""
    acting.require(Right.USERS)
    users = acting.product.store.users
    before = users.get(id)
    with nullcontext() if role is Role.ADMINISTRATOR else _an_administrator_left(acting, before):
        after = users.change(id, {"role": role})
    return changed(after, Line(subject(after), str(before.role), str(role)))


@audited("user.disable")
def disable(acting: Acting, id: str) -> Changed[User]:
    """Keep the user from signing in; sessions end, tokens rest. NotFound; Conflict: the last administrator."""
    acting.require(Right.USERS)
    store = acting.product.store
    with _an_administrator_left(acting, store.users.get(id)):
        user = store.users.change(id, {"disabled_at": acting.product.now()})
    store.sessions.end_all(id)
    return changed(user, Line(subject(user)))


@audited("user.enable")
def enable(acting: Acting, id: str) -> Changed[User]:
    """Let a disabled user sign in again, and nobody who guessed at the name wait any longer. NotFound."""
    acting.require(Right.USERS)
    user = acting.product.store.users.change(id, {"disabled_at": None})
    acting.product.store.guesses.forget_all(id)
    return changed(user, Line(subject(user)))


@audited("user.reset_password")
def reset_password(acting: Acting, id: str) -> Changed[tuple[User, str]]:
    """A password that has to be changed at the next sign-in; sessions and tokens end. NotFound."""
    acting.require(Right.USERS)
    store, given = acting.product.store, passwords.one_time()
    user = store.users.change(id, {"password": passwords.hashed(given), "must_change": True})
    store.sessions.end_all(id)
    store.tokens.revoke_all(id, acting.product.now())
    store.guesses.forget_all(id)
    return changed((user, given), Line(subject(user)))


@audited("user.drop_second_factor")
def drop_second_factor(acting: Acting, id: str) -> Changed[User]:
    """Let a user who lost the device and the recovery codes sign in by password alone. NotFound."""
    acting.require(Right.USERS)
    user = without_second_factor(acting.product.store, id)
    return changed(user, Line(subject(user)))


@audited("user.remove")
def remove(acting: Acting, id: str) -> Changed[None]:
    """Remove the user, with sessions, tokens, rules of alerts, saved filters and preferences, which whoever is added
    under the name later would have; what the log says of them stays.

    NotFound; Conflict: the last administrator.
    """
    acting.require(Right.USERS)
    store = acting.product.store
    user = store.users.get(id)
    with _an_administrator_left(acting, user):
        store.users.remove(id)
    store.sessions.end_all(id)
    store.tokens.remove_of(id)
    store.guesses.forget_all(id)
    for rule in store.alerts.rules(user.name):
        store.alerts.remove_rule(rule.id)
    store.filters.remove_of(user.name)
    store.preferences.remove(user.name)
    return changed(None, Line(subject(user), old=str(user.role)))


def first_administrator(product: Product, password: str | None) -> str | None:
    """Make the first administrator where there is no user; the password, to be shown once. None: there is somebody."""
    if product.store.users.all():
        return None
    try:
        return add(Acting(product, "wenhen", frozenset({Right.USERS})), FIRST, Role.ADMINISTRATOR, password)[1]
    except Conflict:  # another process was quicker
        return None


def without_second_factor(store: Store, id: str) -> User:
    """Forget the user's second factor, and one that was begun. NotFound."""
    return store.users.change(id, {"totp_secret": None, "totp_pending": None, "recovery": ()})


def subject(user: User) -> str:
    """The user as the audit log names what was changed."""
    return f"user:{user.id}"


@contextmanager
def _an_administrator_left(acting: Acting, before: User) -> Iterator[None]:
    """Around what may take the right away from a user: Conflict where nobody else has it. Of two who do that to each
    other at once each sees the other until it is done, and then undoes it.
    """
    users = acting.product.store.users
    others = [one for one in users.all() if one.id != before.id]
    if before.role is Role.ADMINISTRATOR and not any(map(_administers, others)):
        raise Conflict("people.last_administrator")
    yield
    if before.role is Role.ADMINISTRATOR and not any(map(_administers, users.all())):
        _put_back(users, before)
        raise Conflict("people.last_administrator")


def _put_back(users: Users, before: User) -> None:
    try:
        users.change(before.id, {"role": before.role, "disabled_at": before.disabled_at})
    except NotFound:
        users.add(before)


def _administers(user: User) -> bool:
    return user.role is Role.ADMINISTRATOR and user.disabled_at is None
