"""Let people choose a password at a one-time address, which is sent by mail or printed at the first start."""

import logging
import secrets
from datetime import timedelta
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr
from hashlib import sha256
from typing import Final
from urllib.parse import urljoin

from wenhen.accounts.model import PasswordLink, User
from wenhen.accounts.passwords import check_password_strength, count_link_request, hash_password
from wenhen.accounts.sessions import Browser
from wenhen.accounts.users import fold_user_name, user_subject
from wenhen.kit.clock import CHINA
from wenhen.kit.errors import NotFound, WenhenError
from wenhen.product.context import Product
from wenhen.product.mail_delivery import deliver_mail, has_mail_server
from wenhen.product.use_cases import Acting, AuditLine, ChangeResult, audited, change_result

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
                _mail_link(Acting(product, user.name, frozenset(), user_id=user.id), user)
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
def _mail_link(acting: Acting, user: User) -> ChangeResult[None]:
    product = acting.product
    settings = product.settings.notice
    secret = make_password_link(product, user, LINK_LIFETIME)
    address = password_link_address(product.settings.dashboard.address, secret)
    letter = EmailMessage()
    letter["Subject"], letter["From"], letter["To"] = (
        "文痕：重设密码 Wenhen: a new password",
        settings.sender,
        user.mail,
    )
    letter["Date"] = format_datetime(product.now().astimezone(CHINA))
    letter["Message-ID"] = make_msgid(domain=parseaddr(settings.sender)[1].rpartition("@")[2])
    letter["Auto-Submitted"] = "auto-generated"
    letter.set_content(
        f"{user.name}：\n\n请在一小时内打开下面的地址，设置新密码。它只能用一次；如果不是您要求的，不必理会。\n\n{address}\n\n"
        "Open this address within an hour to choose a new password. It works once; if you did not ask for it, leave it "
        "alone.\n"
    )
    deliver_mail(letter, settings)
    return change_result(None, AuditLine(user_subject(user), new=user.mail))


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()
