"""Hash and check passwords, and refuse those that are easy to guess."""

import secrets
import unicodedata
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from wenhen.kit.errors import BadInput

MIN_PASSWORD_CHARACTERS: Final = 10  # NIST SP 800-63B requires 8, and no character classes
MAX_PASSWORD_CHARACTERS: Final = 200
_MAX_SCORED_CHARACTERS: Final = 72  # limits the running time of zxcvbn
_MIN_SCORE: Final = 3  # zxcvbn score: at least 10^8 guesses
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
_GENERATED_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # without ambiguous characters
_HASHER: Final = PasswordHasher()  # argon2id with the low-memory parameters of RFC 9106


def hash_password(password: str) -> str:
    """Return the hash of a password."""
    return _HASHER.hash(_normalize_password(password))


def verify_password(kept: str, password: str) -> bool:
    """Return whether the password matches the hash. The time does not depend on the result."""
    try:
        return _HASHER.verify(kept, _normalize_password(password[: MAX_PASSWORD_CHARACTERS + 1]))
    except (VerificationError, InvalidHashError):
        return False


def spend_verification_time(password: str) -> None:
    """Spend the time of `verify_password`, so that response times do not reveal user names."""
    verify_password(_nobody_hash(), password)


def is_hash_outdated(kept: str) -> bool:
    """Return whether the hash has weaker parameters than the current ones."""
    return _HASHER.check_needs_rehash(kept)


def check_password_strength(password: str, name: str) -> None:
    """Raise `BadInput` for a password that is too easy to guess."""
    if not MIN_PASSWORD_CHARACTERS <= len(password) <= MAX_PASSWORD_CHARACTERS:
        raise BadInput("people.password_length", least=MIN_PASSWORD_CHARACTERS, most=MAX_PASSWORD_CHARACTERS)
    if name.casefold() in password.casefold() or len(set(password)) < 5 or _is_common(password, name):
        raise BadInput("people.password_guessable")


def make_one_time_password() -> str:
    """Return a random one-time password: 4 groups of 4 characters, 79 bits."""
    return "-".join("".join(secrets.choice(_GENERATED_LETTERS) for _ in range(4)) for _ in range(4))


def _is_common(password: str, name: str) -> bool:
    """Return whether a password is common or built from common parts.

    This uses the lists of zxcvbn (30,000 leaked passwords, words and names) and words of Chinese users.
    """
    from zxcvbn import zxcvbn  # slow import, because it loads its lists

    return bool(
        zxcvbn(_normalize_password(password)[:_MAX_SCORED_CHARACTERS], user_inputs=[name, *_LOCAL_WORDS])["score"]
        < _MIN_SCORE
    )


def _normalize_password(password: str) -> str:
    """Return the password in NFKC, so that input methods do not matter."""
    return unicodedata.normalize("NFKC", password)


@cache
def _nobody_hash() -> str:
    return hash_password(make_one_time_password())
