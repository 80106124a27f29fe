"""Change users: by an administrator, by themselves, or at the first start.

People choose a password at a one-time address, which is sent by mail or printed at the first start.
"""

import logging
import secrets
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from hashlib import sha256
from typing import Final
from urllib.parse import urljoin

from wenhen.accounts.model import PasswordLink, Preferences, User
from wenhen.accounts.passwords import check_password_strength, hash_password, make_one_time_password, verify_password
from wenhen.accounts.repository import Users
from wenhen.accounts.sessions import Browser
from wenhen.accounts.sign_in_throttling import count_link_request, prove_password
from wenhen.context.mail_delivery import check_mail_address, deliver_mail, has_mail_server, write_mail
from wenhen.context.store_and_queue import Store
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput, Conflict, Forbidden, NotFound, WenhenError
from wenhen.kit.rights import Right, Role

MAX_USER_NAME_CHARACTERS: Final = 60
FIRST_USER_NAME: Final = "admin"  # name of the initial administrator


def fold_user_name(name: str) -> str:
    """Return the id of a user name, independent of case, width and spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def find_user(store: Store, name: str) -> User | None:
    """Return the user with this name, or None."""
    try:
        return store.users.get(fold_user_name(name))
    except NotFound:
        return None


def require_colleague(acting: Acting, name: str) -> str:
    """Return the name, as their account writes it, of a user who may be given work.

    Somebody without an account, as at the command line, may take work themselves. People held to rights holders name
    those alone whom they may know. Raises `BadInput` for an unknown or a disabled user.
    """
    id = fold_user_name(name)
    user = next((user for user in acting.product.store.users.all() if user.id == id), None)
    if user is None:
        if name == acting.who:
            return name
        raise BadInput("cases.nobody", name=name)
    if user.disabled_at is not None:
        raise BadInput("cases.disabled_user", name=user.name)
    return user.name


def normalize_user_name(name: str) -> tuple[str, str]:
    """Return the id and the name of a new user. Raises `BadInput` for an invalid name."""
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not name or len(name) > MAX_USER_NAME_CHARACTERS or not name.isprintable():
        raise BadInput("people.name", most=MAX_USER_NAME_CHARACTERS)
    return fold_user_name(name), name


@audited("user.add")
def create_user(acting: Acting, name: str, role: Role, password: str | None = None) -> ChangeResult[tuple[User, str]]:
    """Create a user. Returns the user and the given password, or a one-time password for the first sign-in.

    Raises `BadInput` for an invalid name or weak password, `Conflict` if the name exists, `Forbidden`.
    """
    acting.require(Right.USERS)
    id, name = normalize_user_name(name)
    given = password or make_one_time_password()
    if password:
        check_password_strength(password, name)
    user = User(
        id=id,
        name=name,
        role=role,
        password=hash_password(given),
        added_at=acting.product.now(),
        must_change=password is None,
    )
    acting.product.store.users.add(user)
    return change_result((user, given), AuditLine(user_subject(user), new=str(role)))


@audited("user.role")
def set_user_role(acting: Acting, id: str, role: Role) -> ChangeResult[User]:
    """Change the role of a user, effective from the next request.

    Raises `NotFound`, `Conflict` for the last administrator and for a held user, `Forbidden`.
    """
    acting.require(Right.USERS)
    users = acting.product.store.users
    before = users.get(id)
    if before.holders and role is Role.ADMINISTRATOR:
        raise Conflict("people.held_administrator")
    with nullcontext() if role is Role.ADMINISTRATOR else _require_administrator(acting, before):
        after = users.change(id, {"role": role})
    return change_result(after, AuditLine(user_subject(after), str(before.role), str(role)))


@audited("user.hold")
def hold_user(acting: Acting, id: str, holders: Collection[str]) -> ChangeResult[User]:
    """Hold a user to rights holders, whose records alone they see from the next request. None: they see all.

    Raises `NotFound`, `BadInput` for an unknown holder, `Conflict` for an administrator, `Forbidden`.
    """
    acting.require(Right.USERS)
    store = acting.product.store
    before, names = store.users.get(id), tuple(sorted({name for given in holders if (name := given.strip())}))
    known = {holder.id for holder in store.holders.all()} | {*store.works.owners()} if names else set()
    if unknown := next((name for name in names if name not in known), None):
        raise BadInput("people.no_holder", name=unknown)
    if names and before.role is Role.ADMINISTRATOR:
        raise Conflict("people.held_administrator")
    after = store.users.change(id, {"holders": names})
    lines = (AuditLine(user_subject(after), {"holders": before.holders}, {"holders": names}),)
    return change_result(after, *(lines if before.holders != names else ()))


@audited("user.disable")
def disable_user(acting: Acting, id: str) -> ChangeResult[User]:
    """Disable a user. Sessions end, and tokens are inactive.

    Raises `NotFound`, `Conflict` for the last administrator, `Forbidden`.
    """
    acting.require(Right.USERS)
    store = acting.product.store
    with _require_administrator(acting, store.users.get(id)):
        user = store.users.change(id, {"disabled_at": acting.product.now()})
    store.sessions.end_all(id)
    return change_result(user, AuditLine(user_subject(user)))


@audited("user.enable")
def enable_user(acting: Acting, id: str) -> ChangeResult[User]:
    """Enable a disabled user, and clear the login backoff. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.USERS)
    user = acting.product.store.users.change(id, {"disabled_at": None})
    acting.product.store.guesses.forget_all(id)
    return change_result(user, AuditLine(user_subject(user)))


@audited("user.reset_password")
def reset_user_password(acting: Acting, id: str) -> ChangeResult[tuple[User, str]]:
    """Set a one-time password for the next sign-in. Sessions and tokens end. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.USERS)
    store, given = acting.product.store, make_one_time_password()
    user = store.users.change(id, {"password": hash_password(given), "must_change": True})
    store.sessions.end_all(id)
    store.tokens.revoke_all(id, acting.product.now())
    store.guesses.forget_all(id)
    return change_result((user, given), AuditLine(user_subject(user)))


@audited("user.drop_second_factor")
def reset_second_factor(acting: Acting, id: str) -> ChangeResult[User]:
    """Remove the second factor of a user who lost device and recovery codes. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.USERS)
    user = forget_second_factor(acting.product.store, id)
    return change_result(user, AuditLine(user_subject(user)))


@audited("user.remove")
def delete_user(acting: Acting, id: str) -> ChangeResult[None]:
    """Delete a user with sessions, tokens, alert rules, saved filters and preferences.

    Otherwise a later user with the same name would inherit them. Audit lines stay.

    Raises `NotFound`, `Conflict` for the last administrator, `Forbidden`.
    """
    acting.require(Right.USERS)
    store = acting.product.store
    user = store.users.get(id)
    with _require_administrator(acting, user):
        store.users.remove(id)
    store.sessions.end_all(id)
    store.tokens.remove_of(id)
    store.guesses.forget_all(id)
    store.password_links.remove_of(id)
    for rule in store.alerts.rules(user.name):
        store.alerts.remove_rule(rule.id)
    store.filters.remove_of(user.name)
    store.preferences.remove(user.name)
    return change_result(None, AuditLine(user_subject(user), old=str(user.role)))


def first_administrator(product: Product, password: str | None) -> str | None:
    """Create the initial administrator if there are no users, and return the password. None if there are users."""
    if product.store.users.all():
        return None
    try:
        return create_user(
            Acting(product, "wenhen", frozenset({Right.USERS})), FIRST_USER_NAME, Role.ADMINISTRATOR, password
        )[1]
    except Conflict:  # another process was faster
        return None


def forget_second_factor(store: Store, id: str) -> User:
    """Remove the second factor of a user, including a pending one. Raises `NotFound`."""
    return store.users.change(id, {"totp_secret": None, "totp_pending": None, "recovery": ()})


def user_subject(user: User) -> str:
    """Return the subject of audit lines about the user."""
    return f"user:{user.id}"


@contextmanager
def _require_administrator(acting: Acting, before: User) -> Iterator[None]:
    """Raise `Conflict` if the block removes the last administrator.

    Two administrators may remove each other concurrently. So the check is repeated afterwards, and the change is undone
    if it fails.
    """
    users = acting.product.store.users
    others = [user for user in users.all() if user.id != before.id]
    if before.role is Role.ADMINISTRATOR and not any(map(_is_administrator, others)):
        raise Conflict("people.last_administrator")
    yield
    if before.role is Role.ADMINISTRATOR and not any(map(_is_administrator, users.all())):
        _restore_user(users, before)
        raise Conflict("people.last_administrator")


def _restore_user(users: Users, before: User) -> None:
    try:
        users.change(before.id, {"role": before.role, "disabled_at": before.disabled_at})
    except NotFound:
        users.add(before)


def _is_administrator(user: User) -> bool:
    return user.role is Role.ADMINISTRATOR and user.disabled_at is None


# Own account: password and sessions.


def require_own_user(acting: Acting) -> User:
    """Return the acting user. Raises `Forbidden` for an actor without an account, such as a command."""
    acting.require(Right.ACCOUNT)
    if acting.user_id is None:
        raise Forbidden("people.may_not", right=Right.ACCOUNT.value)
    return acting.product.store.users.get(acting.user_id)


@audited("user.change_password")
def change_own_password(acting: Acting, old: str, new: str, *, session: str | None = None) -> ChangeResult[None]:
    """Change one's password, and end all other sessions.

    Raises `BadInput` for a wrong old password, and for a new one that is equal or too weak, `TooManyTries`.
    """
    user, store = require_own_user(acting), acting.product.store
    prove_password(acting, user, old)
    check_password_strength(new, user.name)
    if verify_password(user.password, new):
        raise BadInput("people.password_same")
    store.users.change(user.id, {"password": hash_password(new), "must_change": False})
    store.sessions.end_all(user.id, but=session)
    return change_result(None, AuditLine(user_subject(user)))


@audited("user.mail")
def set_own_mail(acting: Acting, password: str, mail: str) -> ChangeResult[User]:
    """Set the address that a link for a new password is sent to; an empty one removes it.

    Raises `BadInput` for an invalid address and a wrong password, `TooManyTries`.
    """
    user = require_own_user(acting)
    prove_password(acting, user, password)
    address = check_mail_address(mail) if mail.strip() else None
    changed = acting.product.store.users.change(user.id, {"mail": address})
    return change_result(changed, AuditLine(user_subject(user), user.mail, address))


@audited("user.end_sessions")
def end_own_sessions(acting: Acting, *, but: str | None = None) -> ChangeResult[int]:
    """End all own sessions except `but`, and return their number."""
    user = require_own_user(acting)
    ended = acting.product.store.sessions.end_all(user.id, but=but)
    return change_result(ended, AuditLine(user_subject(user), new=str(ended)))


@audited("user.end_session")
def end_own_session(acting: Acting, id: str) -> ChangeResult[None]:
    """End one of one's own sessions. Raises `NotFound`."""
    user, sessions = require_own_user(acting), acting.product.store.sessions
    session = sessions.get(id)
    if session is None or session.user_id != user.id:
        raise NotFound("store.no_session")
    sessions.end(id)
    return change_result(None, AuditLine(user_subject(user), old=session.address))


# Preferences are private to a user, so they have no audit log.


def get_preferences(acting: Acting) -> Preferences:
    """Return the preferences of this user."""
    return acting.product.store.preferences.get(acting.who)


def set_preferences(acting: Acting, chosen: Preferences) -> None:
    """Store the preferences of this user."""
    acting.product.store.preferences.put(chosen)


logger = logging.getLogger(__name__)
LINK_LIFETIME: Final = timedelta(hours=1)
FIRST_LINK_LIFETIME: Final = timedelta(days=1)
PASSWORD_LINK_PATH: Final = "sign-in/set/"  # noqa: S105  an address, and no password


def can_send_links(product: Product) -> bool:
    """Return whether there is a mail server, and an address that links can begin with."""
    return bool(product.settings.dashboard.address) and has_mail_server(product.settings.notice)


def make_password_link(product: Product, user: User, lifetime: timedelta) -> str:
    """Return the secret of a new link, which replaces earlier ones of the user. Only its digest is stored."""
    secret, now = secrets.token_urlsafe(32), product.now()
    product.store.password_links.put_only(
        PasswordLink(id=_digest(secret), user_id=user.id, made_at=now, ends_at=now + lifetime)
    )
    return secret


def password_link_address(dashboard: str, secret: str) -> str:
    """Return the address of a link."""
    return urljoin(dashboard if dashboard.endswith("/") else f"{dashboard}/", PASSWORD_LINK_PATH + secret)


def count_password_mail(product: Product, asked: str, browser: Browser) -> None:
    """Count a request for a link by mail, whether or not there is such a person. Raises `TooManyTries`."""
    count_link_request(product, fold_user_name(asked), browser)


def mail_password_link(product: Product, asked: str) -> None:
    """Send a link to the person of this name or mail address, if there is one with an address.

    It answers nothing, so that nobody learns who is there, and logs why a mail was not taken.
    """
    id, mail = fold_user_name(asked), asked.strip().lower()
    for user in product.store.users.all():
        if user.mail and user.disabled_at is None and (user.id == id or user.mail.lower() == mail):
            try:
                _mail_link(Acting(product, user.name, frozenset(), user_id=user.id), user, user.mail)
            except WenhenError as error:
                logger.warning("the link for a new password of %s was not sent: %s", user.name, error)


def find_link_user(product: Product, secret: str) -> User:
    """Return the user who may choose a password by this link. Raises `NotFound` for a used or expired one."""
    link = product.store.password_links.get(_digest(secret))
    if link is None or product.now() >= link.ends_at:
        raise NotFound("people.no_link")
    user = product.store.users.get(link.user_id)
    if user.disabled_at is not None:
        raise NotFound("people.no_link")
    return user


def choose_password(product: Product, secret: str, password: str) -> User:
    """Set a password by a link, which is then used. Sessions and tokens end; a second factor stays.

    Raises `NotFound` for a used or expired link, `BadInput` for a weak password.
    """
    user = find_link_user(product, secret)
    check_password_strength(password, user.name)
    if not product.store.password_links.take(_digest(secret)):  # somebody was faster
        raise NotFound("people.no_link")
    return _set_password(Acting(product, user.name, frozenset(), user_id=user.id), user, password)


@audited("user.set_password")
def _set_password(acting: Acting, user: User, password: str) -> ChangeResult[User]:
    store = acting.product.store
    changed = store.users.change(user.id, {"password": hash_password(password), "must_change": False})
    store.sessions.end_all(user.id)
    store.tokens.revoke_all(user.id, acting.product.now())
    store.guesses.forget_all(user.id)
    return change_result(changed, AuditLine(user_subject(user)))


@audited("user.mail_link")
def _mail_link(acting: Acting, user: User, mail: str) -> ChangeResult[None]:
    product = acting.product
    settings = product.settings.notice
    secret = make_password_link(product, user, LINK_LIFETIME)
    address = password_link_address(product.settings.dashboard.address, secret)
    text = (
        f"{user.name}：\n\n请在一小时内打开下面的地址，设置新密码。它只能用一次；如果不是您要求的，不必理会。\n\n{address}\n\n"
        "Open this address within an hour to choose a new password. It works once; if you did not ask for it, leave it "
        "alone.\n"
    )
    letter = write_mail(settings, mail, "文痕：重设密码 Wenhen: a new password", text, product.now())
    letter["Auto-Submitted"] = "auto-generated"
    deliver_mail(letter, settings)
    return change_result(None, AuditLine(user_subject(user), new=mail))


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()
