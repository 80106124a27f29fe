"""Sign-in by name and password, then by a second factor where there is one; who guesses is made to wait."""

from datetime import timedelta
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.people import passwords, second_factor, sessions
from services.people.account import own
from services.people.sealing import Seal
from services.people.sessions import Browser, Lengths
from services.people.users import known
from store.records import User
from store.rules.rights import RIGHTS

FAILURES: Final = 10  # wrong passwords or codes in a row ...
LOCK: Final = timedelta(minutes=15)  # ... and the name has to wait for so long


def check_password(product: Product, name: str, password: str, browser: Browser) -> User | None:
    """The user whose name and password these are; None for whatever is wrong, which takes as long."""
    user = known(product.store, name)
    if user is None or user.disabled_at is not None or is_locked(product, user):
        passwords.verify_nobody(password)
        refuse(Acting(product, name or "?", frozenset()), browser)
        return None
    if not passwords.verify(user.password, password):
        _fail(product, user, browser)
        return None
    if passwords.is_outdated(user.password):
        product.store.users.change(user.id, {"password": passwords.hashed(password)})
    return user


def check_code(product: Product, seal: Seal, user: User, code: str, browser: Browser) -> bool:
    """Whether this is a code of the user's second factor."""
    if second_factor.accepts(product, seal, user, code):
        return True
    _fail(product, user, browser)
    return False


def is_locked(product: Product, user: User) -> bool:
    """Whether the name has to wait, after too many wrong passwords and codes."""
    return user.locked_until is not None and product.now() < user.locked_until


def as_user(product: Product, user: User) -> Acting:
    """The user at work, with all rights of the role."""
    return Acting(product, user.name, RIGHTS[user.role], user_id=user.id)


@audited("session.begin")
def begin(acting: Acting, browser: Browser, lengths: Lengths) -> Changed[str]:
    """Sign in who acts, after the password, and the code, were right; the secret of the session."""
    user, product = own(acting), acting.product
    product.store.users.change(user.id, {"failures": 0, "locked_until": None, "signed_in_at": product.now()})
    return changed(sessions.begin(product, user, browser, lengths), _line(acting, browser))


@audited("session.end")
def end(acting: Acting, secret: str, browser: Browser) -> Changed[None]:
    """Sign out of the session behind the secret."""
    acting.product.store.sessions.end(sessions.id_of(secret))
    return changed(None, _line(acting, browser))


@audited("session.refuse")
def refuse(acting: Acting, browser: Browser) -> Changed[None]:
    """Let nobody in; the log keeps by which name it was tried."""
    return changed(None, _line(acting, browser))


def _fail(product: Product, user: User, browser: Browser) -> None:
    """Count a wrong password or code; with too many in a row the name is locked."""
    product.store.users.failed(user.id, most=FAILURES, until=product.now() + LOCK)
    refuse(as_user(product, user), browser)


def _line(acting: Acting, browser: Browser) -> Line:
    return Line(f"user:{acting.who}", new=browser.address or "?")
