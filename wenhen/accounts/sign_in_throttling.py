"""Slow down guesses at passwords and codes: count them, and make the guesser wait.

Guesses are counted before they are checked. A name is never locked, because guesses are counted by name and network.
A known browser is counted separately, so that guesses of strangers do not lock out its user.
"""

from collections.abc import Callable
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from typing import Final

from wenhen.accounts.model import LoginBackoff, User
from wenhen.accounts.passwords import verify_password
from wenhen.accounts.sessions import Browser
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput, TooManyTries

_QUARTER_HOUR: Final = timedelta(minutes=15)
_FIVE_MINUTES: Final = timedelta(minutes=5)
_BROWSER_BACKOFF: Final = LoginBackoff(5, _FIVE_MINUTES)  # per name and network, or per known browser
_NETWORK_BACKOFF: Final = LoginBackoff(10, _FIVE_MINUTES)  # per network, for all names
_NAME_BACKOFF: Final = LoginBackoff(50, timedelta(seconds=30))  # per name, from all unknown browsers
_CODE_BACKOFF: Final = LoginBackoff(5, _QUARTER_HOUR)  # per user, after a correct password
_LINK_BACKOFF: Final = LoginBackoff(3, _QUARTER_HOUR)  # per name and per network, for links by mail
BackoffByKey = dict[str, LoginBackoff]  # key by which guesses are counted -> backoff


def count_password_guess(product: Product, user_id: str, browser: Browser) -> None:
    """Count a guess at a password. Raises `TooManyTries` if it comes too soon and must not be checked."""
    _count_guesses(product, user_id, _password_keys(user_id, browser))


def count_code_guess(product: Product, user_id: str, browser: Browser) -> None:
    """Count a guess at a code of the second factor during sign-in. Raises `TooManyTries`."""
    _count_guesses(product, user_id, _code_keys(user_id, browser))


def count_session_guess(product: Product, user_id: str, what: str) -> None:
    """Count a guess at a password or code within a session. Raises `TooManyTries`.

    what: "password" or "code". They are counted separately, so that knowing one does not allow unlimited guesses at the
    other.
    """
    _count_guesses(product, user_id, {_session_key(user_id, what): _CODE_BACKOFF})


def count_link_request(product: Product, user_id: str, browser: Browser) -> None:
    """Count a request for a link by mail, of known and unknown names alike. Raises `TooManyTries`."""
    where = address_network(browser.address)
    keys = {f"link for {user_id}": _LINK_BACKOFF, f"links from {where}": _LINK_BACKOFF}
    _count_guesses(product, user_id, keys)


def clear_password_guesses(product: Product, user_id: str, browser: Browser) -> None:
    """Clear the count after a correct password."""
    _clear_guesses(product, _password_keys(user_id, browser))


def clear_code_guesses(product: Product, user_id: str, browser: Browser) -> None:
    """Clear the count after a correct code."""
    _clear_guesses(product, _code_keys(user_id, browser))


def clear_session_guesses(product: Product, user_id: str, what: str) -> None:
    """Clear the count after a correct proof in a session."""
    product.store.guesses.forget(_session_key(user_id, what))


@audited("session.refuse")
def refuse_sign_in(acting: Acting, browser: Browser) -> ChangeResult[None]:
    """Record a refused sign-in with the name that was used."""
    return change_result(None, AuditLine(f"user:{acting.who}", new=browser.address or "?"))


@audited("user.refuse")
def refuse_proof(acting: Acting) -> ChangeResult[None]:
    """Record a wrong password or code in a session, which may be a person at another user's browser."""
    return change_result(None, AuditLine(f"user:{acting.user_id}"))


def address_network(address: str) -> str:
    """Return the network to count: an IPv4 address, or the /64 network of an IPv6 address.

    >>> address_network("198.51.100.7"), address_network("2001:db8::7"), address_network("?")
    ('198.51.100.7', '2001:db8::/64', '?')
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, 64), strict=False)) if isinstance(parsed, IPv6Address) else address


def _count_guesses(product: Product, user_id: str, counted: BackoffByKey) -> None:
    now = product.now()
    waits = [product.store.guesses.count(key, user_id, now, slowing) for key, slowing in counted.items()]
    if longest := max(waits):
        raise TooManyTries("people.wait", seconds=ceil(longest.total_seconds()))


def _clear_guesses(product: Product, counted: BackoffByKey) -> None:
    """Clear the counts of this user. Of shared counts, only take back the last guess."""
    for key, slowing in counted.items():
        (
            product.store.guesses.forget
            if slowing in (_BROWSER_BACKOFF, _CODE_BACKOFF)
            else product.store.guesses.take_back
        )(key)


def _password_keys(user_id: str, browser: Browser) -> BackoffByKey:
    if browser.known_to(user_id):
        return {f"password of {user_id} by {browser.device_id}": _BROWSER_BACKOFF}
    where = address_network(browser.address)
    return {
        f"password of {user_id} from {where}": _BROWSER_BACKOFF,
        f"from {where}": _NETWORK_BACKOFF,
        f"password of {user_id}": _NAME_BACKOFF,
    }


def _code_keys(user_id: str, browser: Browser) -> BackoffByKey:
    if browser.known_to(user_id):
        return {f"code of {user_id} by {browser.device_id}": _CODE_BACKOFF}
    return {f"code of {user_id}": _CODE_BACKOFF, f"from {address_network(browser.address)}": _NETWORK_BACKOFF}


def _session_key(user_id: str, what: str) -> str:
    return f"{what} of {user_id} in a session"


def prove_password(acting: Acting, user: User, password: str) -> None:
    """Verify the password of the user. Wrong ones are counted and logged.

    Raises `BadInput` for a wrong password, `TooManyTries`.
    """
    if not _check_proof(acting, user, "password", lambda: verify_password(user.password, password)):
        raise BadInput("people.password_wrong")


def prove_code(acting: Acting, user: User, is_right: Callable[[], bool]) -> None:
    """Verify a code of the second factor. Wrong ones are counted and logged.

    Raises `BadInput` for a wrong code, `TooManyTries`.
    """
    if not _check_proof(acting, user, "code", is_right):
        raise BadInput("people.code_wrong")


def _check_proof(acting: Acting, user: User, what: str, is_right: Callable[[], bool]) -> bool:
    count_session_guess(acting.product, user.id, what)
    if right := is_right():
        clear_session_guesses(acting.product, user.id, what)
    else:
        refuse_proof(acting)
    return right
