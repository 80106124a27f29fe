"""Sign-in by name and password, then by a second factor where there is one; who guesses is made to wait."""

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.people import guess_limits, passwords, second_factor, sessions
from services.people.account import own
from services.people.sessions import Browser, Lengths
from services.people.users import folded, known
from services.sealed_secrets import Seal
from store.records import User
from store.rules.role_rights import RIGHTS


def check_password(product: Product, name: str, password: str, browser: Browser) -> User | None:
    """The user whose name and password these are; None for whatever is wrong, which takes as long.

    Raises `TooManyTries`, for a name that nobody has as for any other.
    """
    guess_limits.count_password(product, folded(name), browser)
    user = known(product.store, name)
    if user is None or user.disabled_at is not None:
        passwords.verify_nobody(password)
        guess_limits.refuse(Acting(product, name or "?", frozenset()), browser)
        return None
    if not passwords.verify(user.password, password):
        guess_limits.refuse(as_user(product, user), browser)
        return None
    guess_limits.right_password(product, user.id, browser)
    if passwords.is_outdated(user.password):
        product.store.users.change(user.id, {"password": passwords.hashed(password)})
    return user


def check_code(product: Product, seal: Seal, user: User, code: str, browser: Browser) -> bool:
    """Whether this is a code of the user's second factor. Raises `TooManyTries`."""
    guess_limits.count_code(product, user.id, browser)
    if second_factor.accepts(product, seal, user, code):
        guess_limits.right_code(product, user.id, browser)
        return True
    guess_limits.refuse(as_user(product, user), browser)
    return False


def as_user(product: Product, user: User) -> Acting:
    """The user at work, with all rights of the role."""
    return Acting(product, user.name, RIGHTS[user.role], user_id=user.id)


@audited("session.begin")
def begin(acting: Acting, browser: Browser, lengths: Lengths) -> Changed[str]:
    """Sign in who acts, after the password, and the code, were right; the secret of the session."""
    user, product = own(acting), acting.product
    product.store.users.change(user.id, {"signed_in_at": product.now()})
    return changed(sessions.begin(product, user, browser, lengths), _line(acting, browser))


@audited("session.end")
def end(acting: Acting, secret: str, browser: Browser) -> Changed[None]:
    """Sign out of the session behind the secret."""
    acting.product.store.sessions.end(sessions.id_of(secret))
    return changed(None, _line(acting, browser))


def _line(acting: Acting, browser: Browser) -> Line:
    return Line(f"user:{acting.who}", new=browser.address or "?")
