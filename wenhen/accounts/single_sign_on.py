"""Let people in whom a provider of OpenID Connect or a trusted proxy has proved."""

import ipaddress
import logging
import secrets
from dataclasses import dataclass
from typing import Final

from wenhen.accounts.model import User
from wenhen.accounts.passwords import hash_password
from wenhen.accounts.sessions import Browser
from wenhen.accounts.sign_in_throttling import refuse_sign_in
from wenhen.accounts.users import find_user, normalize_user_name, set_user_role, user_subject
from wenhen.kit.errors import Conflict, Forbidden
from wenhen.kit.rights import RIGHTS, Right, Role
from wenhen.product.context import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.product.settings import SignInSettings

logger = logging.getLogger(__name__)
LOWEST_ROLE: Final = min(Role, key=lambda role: len(RIGHTS[role]))  # of who stands in no group of the settings


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as the provider or the proxy proves them."""

    subject: str  # issuer and id at the provider, or proxy and name
    name: str
    groups: tuple[str, ...] = ()


def role_of_groups(settings: SignInSettings, groups: tuple[str, ...]) -> Role | None:
    """Return the role of the first line of the settings that names one of the groups. None: no line is given.

    >>> settings = SignInSettings(roles=["law=lawyer", "cn=desk,dc=hean=operator"])
    >>> [str(role_of_groups(settings, groups)) for groups in [("cn=desk,dc=hean", "x"), ("desk", "law"), ()]]
    ['operator', 'lawyer', 'reviewer']
    """
    if not settings.roles:
        return None
    named = (line.rpartition("=") for line in settings.roles)
    return next((Role(role) for group, _, role in named if group in groups), LOWEST_ROLE)


def is_trusted_address(settings: SignInSettings, address: str) -> bool:
    """Return whether the settings trust the proxy at this address.

    >>> settings = SignInSettings(trusted=["10.1.0.0/16"])
    >>> [is_trusted_address(settings, address) for address in ("10.1.2.3", "::ffff:10.1.2.3", "10.2.0.1", "", "x")]
    [True, True, False, False, False]
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return any(found in ipaddress.ip_network(network) for network in settings.trusted)


def admit_person(product: Product, identity: Identity, browser: Browser) -> User:
    """Return the user of a proved person, who is created at the first time, with the role of their groups.

    Raises `Forbidden` for a person whom the settings refuse, a disabled user, and a name that another account has.
    `BadInput` for a name that no user can have.
    """
    try:
        user = _find_person(product, identity)
    except Forbidden:
        refuse_sign_in(Acting(product, identity.name, frozenset()), browser)
        raise
    role = role_of_groups(product.settings.signin, identity.groups)
    if role is None or role is user.role:
        return user
    try:
        return set_user_role(_acting_provider(product), user.id, role)
    except Conflict:
        logger.warning("%s stays an administrator, being the last one", user.name)
        return user


def _find_person(product: Product, identity: Identity) -> User:
    user = product.store.users.find_subject(identity.subject) or _first_sign_in(product, identity)
    if user.disabled_at is not None:
        raise Forbidden("provider.disabled")
    return user


def _first_sign_in(product: Product, identity: Identity) -> User:
    settings, acting = product.settings.signin, _acting_provider(product)
    known = find_user(product.store, identity.name)
    if known is None:
        if settings.newcomers == "refuse":
            raise Forbidden("provider.unknown", name=identity.name)
        return create_connected_user(acting, identity, role_of_groups(settings, identity.groups) or LOWEST_ROLE)
    if known.subject is not None or not settings.adopt:  # else whoever takes a name there would take the account
        raise Forbidden("provider.name_taken", name=identity.name)
    return connect_user(acting, known.id, identity.subject)


@audited("user.add")
def create_connected_user(acting: Acting, identity: Identity, role: Role) -> ChangeResult[User]:
    """Create a user who signs in by the provider. Nobody knows the password.

    Raises `BadInput` for an invalid name, `Forbidden` without the right or if the name exists.
    """
    acting.require(Right.USERS)
    id, name = normalize_user_name(identity.name)
    user = User(
        id=id,
        name=name,
        role=role,
        password=hash_password(secrets.token_urlsafe(32)),
        added_at=acting.product.now(),
        subject=identity.subject,
    )
    try:
        acting.product.store.users.add(user)
    except Conflict:  # another browser of the same person was faster
        found = acting.product.store.users.get(id)
        if found.subject != identity.subject:
            raise Forbidden("provider.name_taken", name=name) from None
        return change_result(found)
    return change_result(user, AuditLine(user_subject(user), new=f"{role} {identity.subject}"))


@audited("user.connect")
def connect_user(acting: Acting, id: str, subject: str | None) -> ChangeResult[User]:
    """Connect a user with a person at the provider, or with None disconnect them. Raises `NotFound`, `Forbidden`.

    Who is disconnected signs in by password; an administrator sets one.
    """
    acting.require(Right.USERS)
    before = acting.product.store.users.get(id)
    after = acting.product.store.users.change(id, {"subject": subject})
    if subject is None:
        acting.product.store.sessions.end_all(id)
    return change_result(after, AuditLine(user_subject(after), before.subject, subject))


def _acting_provider(product: Product) -> Acting:
    return Acting(product, "wenhen", frozenset({Right.USERS}))
