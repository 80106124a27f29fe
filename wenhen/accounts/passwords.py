"""Hash and check passwords. Count guesses at passwords and codes, and slow them down."""

import secrets
import unicodedata
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from wenhen.accounts.model import LoginBackoff, User
from wenhen.accounts.sessions import Browser
from wenhen.kit.errors import BadInput, TooManyTries
from wenhen.product.context import Product
from wenhen.product.use_cases import Acting, AuditLine, ChangeResult, audited, change_result

# Passwords: what is taken for one, and the only form in which it is kept (argon2id).


MIN_PASSWORD_CHARACTERS: Final = 10  # characters; NIST SP 800-63B asks for 8, and for no rule about kinds of characters
MAX_PASSWORD_CHARACTERS: Final = 200
_MAX_SCORED_CHARACTERS: Final = 72  # characters: more would take zxcvbn long
_MIN_SCORE: Final = 3  # of zxcvbn: 10^8 guesses or more
_LOCAL_WORDS: Final = (
    "wenhen",
    "文痕",
    "woaini",
    "5201314",
    "1314520",
    "521",
    "1314",
    "woaizhongguo",
    "mima",
    "guanliyuan",
)
_GENERATED_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another
_HASHER: Final = PasswordHasher()  # argon2id with the parameters of RFC 9106, low memory


def hash_password(password: str) -> str:
    """The password as it is kept."""
    return _HASHER.hash(_normalize_password(password))


def verify_password(kept: str, password: str) -> bool:
    """Whether this is the password; it takes as long when it is not."""
    try:
        return _HASHER.verify(kept, _normalize_password(password[: MAX_PASSWORD_CHARACTERS + 1]))
    except (VerificationError, InvalidHashError):
        return False


def spend_verification_time(password: str) -> None:
    """Take the time that `verify` takes, so that a name that nobody has cannot be told by the clock."""
    verify_password(_nobody_hash(), password)


def is_hash_outdated(kept: str) -> bool:
    """Whether it was hashed with weaker parameters than today's."""
    return _HASHER.check_needs_rehash(kept)


def check_password_strength(password: str, name: str) -> None:
    """Raise `BadInput` for a password that is too easy to guess."""
    if not MIN_PASSWORD_CHARACTERS <= len(password) <= MAX_PASSWORD_CHARACTERS:
        raise BadInput("people.password_length", least=MIN_PASSWORD_CHARACTERS, most=MAX_PASSWORD_CHARACTERS)
    if name.casefold() in password.casefold() or len(set(password)) < 5 or _is_common(password, name):
        raise BadInput("people.password_guessable")


def make_one_time_password() -> str:
    """A password to be changed at the first sign-in: 4 groups of 4 letters, 79 bits."""
    return "-".join("".join(secrets.choice(_GENERATED_LETTERS) for _ in range(4)) for _ in range(4))


def _is_common(password: str, name: str) -> bool:
    """Whether it is among the most used, or made of them and of little else: by the lists that zxcvbn brings along
    (30,000 passwords of breaches, words and names) and by what is typed here.
    """
    from zxcvbn import zxcvbn  # it takes a while to read its lists

    return bool(
        zxcvbn(_normalize_password(password)[:_MAX_SCORED_CHARACTERS], user_inputs=[name, *_LOCAL_WORDS])["score"]
        < _MIN_SCORE
    )


def _normalize_password(password: str) -> str:
    """The same password however a keyboard composes its letters."""
    return unicodedata.normalize("NFKC", password)


@cache
def _nobody_hash() -> str:
    return hash_password(make_one_time_password())


# Guesses at passwords and codes: each is counted before it is looked at, and who guesses is slowed down.
#
# A name is never locked: guesses are counted by the name together with where they come from. A browser that somebody
# was signed in with before is counted by itself, so that what strangers guess keeps nobody out of it.


_QUARTER_HOUR: Final = timedelta(minutes=15)
_FIVE_MINUTES: Final = timedelta(minutes=5)
_BROWSER_BACKOFF: Final = LoginBackoff(5, _FIVE_MINUTES)  # at one name from one network, or by a known browser
_NETWORK_BACKOFF: Final = LoginBackoff(10, _FIVE_MINUTES)  # from one network, at whatever names
_NAME_BACKOFF: Final = LoginBackoff(50, timedelta(seconds=30))  # at one name, from wherever strangers are
_CODE_BACKOFF: Final = LoginBackoff(5, _QUARTER_HOUR)  # whoever gets as far knows the password

BackoffByKey = dict[str, LoginBackoff]  # what a guess is counted by


def count_password_guess(product: Product, user_id: str, browser: Browser) -> None:
    """Count a guess at somebody's password. Raises `TooManyTries` for one that comes too soon: do not look at it."""
    _count_guesses(product, user_id, _password_keys(user_id, browser))


def count_code_guess(product: Product, user_id: str, browser: Browser) -> None:
    """The same for a code of the second factor, at sign-in."""
    _count_guesses(product, user_id, _code_keys(user_id, browser))


def count_session_guess(product: Product, user_id: str, what: str) -> None:
    """The same for what a live session gives to prove who sits there: its password, or a code. Each is counted by
    itself, or who has the one could guess at the other for ever.
    """
    _count_guesses(product, user_id, {_session_key(user_id, what): _CODE_BACKOFF})


def clear_password_guesses(product: Product, user_id: str, browser: Browser) -> None:
    """It was the right one, and no guess."""
    _clear_guesses(product, _password_keys(user_id, browser))


def clear_code_guesses(product: Product, user_id: str, browser: Browser) -> None:
    """The same for a code."""
    _clear_guesses(product, _code_keys(user_id, browser))


def clear_session_guesses(product: Product, user_id: str, what: str) -> None:
    """The same for what a live session gave."""
    product.store.guesses.forget(_session_key(user_id, what))


@audited("session.refuse")
def refuse_sign_in(acting: Acting, browser: Browser) -> ChangeResult[None]:
    """Let nobody in; the log keeps by which name it was tried."""
    return change_result(None, AuditLine(f"user:{acting.who}", new=browser.address or "?"))


@audited("user.refuse")
def refuse_proof(acting: Acting) -> ChangeResult[None]:
    """Take a wrong password or code of a live session for what it may be: somebody at another's browser."""
    return change_result(None, AuditLine(f"user:{acting.user_id}"))


def address_network(address: str) -> str:
    """Who is counted: the address, of an IPv6 one the network that a household has.

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
    """Forget the guesses of who proved to be the right one; of what others share, take back this one alone."""
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
    """Go on only with the user's password. Raises `BadInput` for another, `TooManyTries`; what is wrong is counted and
    written down.
    """
    if not _check_proof(acting, user, "password", lambda: verify_password(user.password, password)):
        raise BadInput("people.password_wrong")


def prove_code(acting: Acting, user: User, is_right: Callable[[], bool]) -> None:
    """The same by a code of the second factor."""
    if not _check_proof(acting, user, "code", is_right):
        raise BadInput("people.code_wrong")


def _check_proof(acting: Acting, user: User, what: str, is_right: Callable[[], bool]) -> bool:
    count_session_guess(acting.product, user.id, what)
    if right := is_right():
        clear_session_guesses(acting.product, user.id, what)
    else:
        refuse_proof(acting)
    return right
