"""Guesses at passwords and codes: each is counted before it is looked at, and who guesses is slowed down.

A name is never locked: guesses are counted by the name together with where they come from. A browser that somebody was
signed in with before is counted by itself, so that what strangers guess keeps nobody out of it.
"""

from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.people.sessions import Browser
from store.errors import TooManyTries
from store.rules.guess_delays import Slowing

_QUARTER: Final = timedelta(minutes=15)
_MINUTES: Final = timedelta(minutes=5)
_HERE: Final = Slowing(5, _MINUTES)  # at one name from one network, or by a known browser
_NETWORK: Final = Slowing(10, _MINUTES)  # from one network, at whatever names
_NAME: Final = Slowing(50, timedelta(seconds=30))  # at one name, from wherever strangers are
_CODE: Final = Slowing(5, _QUARTER)  # whoever gets as far knows the password

Counted = dict[str, Slowing]  # what a guess is counted by


def count_password(product: Product, user_id: str, browser: Browser) -> None:
    """Count a guess at somebody's password. Raises `TooManyTries` for one that comes too soon: do not look at it."""
    _count(product, user_id, _of_password(user_id, browser))


def count_code(product: Product, user_id: str, browser: Browser) -> None:
    """The same for a code of the second factor, at sign-in."""
    _count(product, user_id, _of_code(user_id, browser))


def count_own(product: Product, user_id: str, what: str) -> None:
    """The same for what a live session gives to prove who sits there: its password, or a code. Each is counted by
    itself, or who has the one could guess at the other for ever.
    """
    _count(product, user_id, {_own(user_id, what): _CODE})


def right_password(product: Product, user_id: str, browser: Browser) -> None:
    """It was the right one, and no guess."""
    _settle(product, _of_password(user_id, browser))


def right_code(product: Product, user_id: str, browser: Browser) -> None:
    """The same for a code."""
    _settle(product, _of_code(user_id, browser))


def right_own(product: Product, user_id: str, what: str) -> None:
    """The same for what a live session gave."""
    product.store.guesses.forget(_own(user_id, what))


@audited("session.refuse")
def refuse(acting: Acting, browser: Browser) -> Changed[None]:
    """Let nobody in; the log keeps by which name it was tried."""
    return changed(None, Line(f"user:{acting.who}", new=browser.address or "?"))


@audited("user.refuse")
def refuse_own(acting: Acting) -> Changed[None]:
    """Take a wrong password or code of a live session for what it may be: somebody at another's browser."""
    return changed(None, Line(f"user:{acting.user_id}"))


def network(address: str) -> str:
    """Who is counted: the address, of an IPv6 one the network that a household has.

    >>> network("198.51.100.7"), network("2001:db8::7"), network("?")
    ('198.51.100.7', '2001:db8::/64', '?')
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, 64), strict=False)) if isinstance(parsed, IPv6Address) else address


def _count(product: Product, user_id: str, counted: Counted) -> None:
    now = product.now()
    waits = [product.store.guesses.count(key, user_id, now, slowing) for key, slowing in counted.items()]
    if longest := max(waits):
        raise TooManyTries("people.wait", seconds=ceil(longest.total_seconds()))


def _settle(product: Product, counted: Counted) -> None:
    """Forget the guesses of who proved to be the right one; of what others share, take back this one alone."""
    for key, slowing in counted.items():
        (product.store.guesses.forget if slowing in (_HERE, _CODE) else product.store.guesses.take_back)(key)


def _of_password(user_id: str, browser: Browser) -> Counted:
    if browser.known_to(user_id):
        return {f"password of {user_id} by {browser.device_id}": _HERE}
    where = network(browser.address)
    return {f"password of {user_id} from {where}": _HERE, f"from {where}": _NETWORK, f"password of {user_id}": _NAME}


def _of_code(user_id: str, browser: Browser) -> Counted:
    if browser.known_to(user_id):
        return {f"code of {user_id} by {browser.device_id}": _CODE}
    return {f"code of {user_id}": _CODE, f"from {network(browser.address)}": _NETWORK}


def _own(user_id: str, what: str) -> str:
    return f"{what} of {user_id} in a session"
