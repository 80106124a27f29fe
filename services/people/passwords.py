"""Passwords: what is taken for one, and the only form in which it is kept (argon2id)."""

import secrets
import unicodedata
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from store.errors import BadInput

LEAST: Final = 10  # characters; NIST SP 800-63B asks for 8, and for no rule about kinds of characters
MOST: Final = 200
_LOOKED_AT: Final = 72  # characters: more would take zxcvbn long
_LEAST_SCORE: Final = 3  # of zxcvbn: 10^8 guesses or more
_TYPED_HERE: Final = (
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
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another
_HASHER: Final = PasswordHasher()  # argon2id with the parameters of RFC 9106, low memory


def hashed(password: str) -> str:
    """The password as it is kept."""
    return _HASHER.hash(_spelled(password))


def verify(kept: str, password: str) -> bool:
    """Whether this is the password; it takes as long when it is not."""
    try:
        return _HASHER.verify(kept, _spelled(password[: MOST + 1]))
    except (VerificationError, InvalidHashError):
        return False


def verify_nobody(password: str) -> None:
    """Take the time that `verify` takes, so that a name that nobody has cannot be told by the clock."""
    verify(_nobody(), password)


def is_outdated(kept: str) -> bool:
    """Whether it was hashed with weaker parameters than today's."""
    return _HASHER.check_needs_rehash(kept)


def check(password: str, name: str) -> None:
    """Raise `BadInput` for a password that is too easy to guess."""
    if not LEAST <= len(password) <= MOST:
        raise BadInput("people.password_length", least=LEAST, most=MOST)
    if name.casefold() in password.casefold() or len(set(password)) < 5 or _is_common(password, name):
        raise BadInput("people.password_guessable")


def one_time() -> str:
    """A password to be changed at the first sign-in: 4 groups of 4 letters, 79 bits."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(4))


def _is_common(password: str, name: str) -> bool:
    """Whether it is among the most used, or made of them and of little else: by the lists that zxcvbn brings along
    (30,000 passwords of breaches, words and names) and by what is typed here.
    """
    from zxcvbn import zxcvbn  # it takes a while to read its lists

    return bool(zxcvbn(_spelled(password)[:_LOOKED_AT], user_inputs=[name, *_TYPED_HERE])["score"] < _LEAST_SCORE)


def _spelled(password: str) -> str:
    """The same password however a keyboard composes its letters."""
    return unicodedata.normalize("NFKC", password)


@cache
def _nobody() -> str:
    return hashed(one_time())
