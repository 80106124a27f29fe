"""Sign users in by password and second factor (TOTP)."""

import hmac
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from typing import Final

import pyotp
import segno

from wenhen.accounts.model import User
from wenhen.accounts.passwords import hash_password, is_hash_outdated, spend_verification_time, verify_password
from wenhen.accounts.sessions import Browser, SessionLengths, begin_session, hash_session_secret
from wenhen.accounts.sign_in_throttling import (
    clear_code_guesses,
    clear_password_guesses,
    count_code_guess,
    count_password_guess,
    prove_code,
    prove_password,
    refuse_sign_in,
)
from wenhen.accounts.users import find_user, fold_user_name, forget_second_factor, require_own_user, user_subject
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput
from wenhen.kit.sealed_secrets import Seal, is_sealed

# Second factor: codes that change every 30 seconds (TOTP, RFC 6238), and recovery codes.


TOTP_ISSUER: Final = "Wenhen"
_RECOVERY_CODE_COUNT: Final = 10
_TOTP_STEP_SECONDS: Final = 30  # seconds
_TOTP_WINDOW_STEPS: Final = 1  # tolerated clock difference in steps


def start_second_factor(acting: Acting, seal: Seal, password: str, code: str = "") -> str:
    """Create a pending TOTP secret for the acting user. A first correct code activates it.

    Requires the password, and a code to replace an existing second factor. Otherwise an open or stolen session could
    lock out the user.

    Raises `BadInput` for a wrong password or code, `TooManyTries`.
    """
    user, secret = require_own_user(acting), pyotp.random_base32()
    _prove_password_and_code(acting, seal, user, password, code)
    acting.product.store.users.change(user.id, {"totp_pending": seal.seal(secret, user.id)})
    return secret


def pending_totp_secret(seal: Seal, user: User) -> str | None:
    """Return the pending secret for an authenticator in base32, or None."""
    return seal.unseal(user.totp_pending, user.id) if user.totp_pending else None


def totp_qr_code(seal: Seal, user: User) -> bytes:
    """Return the pending secret as a QR code in SVG. Raises `BadInput` if there is none."""
    secret = pending_totp_secret(seal, user)
    if secret is None:
        raise BadInput("people.no_factor")
    address = pyotp.TOTP(secret).provisioning_uri(name=user.name, issuer_name=TOTP_ISSUER)
    drawn = BytesIO()
    segno.make(address, error="m").save(drawn, kind="svg", scale=5, border=3, dark="#1e2024", light="#ffffff")
    return drawn.getvalue()


@audited("user.second_factor")
def turn_on_second_factor(acting: Acting, seal: Seal, code: str) -> ChangeResult[list[str]]:
    """Activate one's second factor and return the recovery codes, to be shown once.

    Raises `BadInput` for a wrong code, `TooManyTries`.
    """
    user, users = require_own_user(acting), acting.product.store.users
    secret = pending_totp_secret(seal, user)

    def is_right() -> bool:
        step = _totp_step(secret, code, acting.product.now()) if secret else None
        return step is not None and users.take_step(user.id, step)

    prove_code(acting, user, is_right)
    codes = [_make_recovery_code() for _ in range(_RECOVERY_CODE_COUNT)]
    kept = tuple(_hash_code(code) for code in codes)
    users.change(user.id, {"totp_secret": user.totp_pending, "totp_pending": None, "recovery": kept})
    return change_result(codes, AuditLine(user_subject(user), new="on"))


@audited("user.drop_second_factor")
def turn_off_second_factor(acting: Acting, seal: Seal, password: str, code: str) -> ChangeResult[None]:
    """Deactivate one's second factor with password and code.

    Raises `BadInput` if one of them is wrong or the role requires a second factor, `TooManyTries`.
    """
    user = require_own_user(acting)
    if is_second_factor_required(acting.product, user):
        raise BadInput("people.factor_is_duty")
    _prove_password_and_code(acting, seal, user, password, code)
    forget_second_factor(acting.product.store, user.id)
    return change_result(None, AuditLine(user_subject(user)))


def is_second_factor_required(product: Product, user: User) -> bool:
    """Return whether the settings require a second factor for the role of the user."""
    return user.role in product.settings.dashboard.second_factor_for


def is_second_factor_missing(product: Product, user: User) -> bool:
    """Return whether the user must set up a second factor first."""
    return user.totp_secret is None and is_second_factor_required(product, user)


def accept_code(product: Product, seal: Seal, user: User, code: str) -> bool:
    """Check a TOTP or recovery code and consume it, so that it cannot be used again."""
    users, code = product.store.users, "".join(code.split())
    if user.totp_secret is None:
        return False
    secret = seal.unseal(user.totp_secret, user.id)
    step = _totp_step(secret, code, product.now()) if secret else None
    if secret and step is not None:
        if not is_sealed(user.totp_secret):
            users.change(user.id, {"totp_secret": seal.seal(secret, user.id)})
        return users.take_step(user.id, step)
    return users.take_recovery(user.id, _hash_code(code))


def _prove_password_and_code(acting: Acting, seal: Seal, user: User, password: str, code: str) -> None:
    prove_password(acting, user, password)
    if user.totp_secret:
        prove_code(acting, user, lambda: accept_code(acting.product, seal, user, code))


def _totp_step(secret: str, code: str, now: datetime) -> int | None:
    """Return the time step of a code within the tolerance, or None."""
    code = "".join(code.split())
    present = int(now.timestamp()) // _TOTP_STEP_SECONDS
    for step in range(present - _TOTP_WINDOW_STEPS, present + _TOTP_WINDOW_STEPS + 1):
        if hmac.compare_digest(pyotp.TOTP(secret).generate_otp(step).encode(), code.encode()):
            return step
    return None


def _make_recovery_code() -> str:
    letters = pyotp.random_base32(32)[:16].lower()
    return "-".join(letters[offset : offset + 4] for offset in range(0, 16, 4))


def _hash_code(code: str) -> str:
    return sha256(code.lower().replace("-", "").encode("utf-8", "replace")).hexdigest()


# Sign-in by name and password, then by second factor if there is one. Guesses are slowed down.


def check_password(product: Product, name: str, password: str, browser: Browser) -> User | None:
    """Return the user with this name and password, or None.

    Failures take the same time for known and unknown names. Raises `TooManyTries`, also for unknown names.
    """
    count_password_guess(product, fold_user_name(name), browser)
    user = find_user(product.store, name)
    if user is None or user.disabled_at is not None:
        spend_verification_time(password)
        refuse_sign_in(Acting(product, name or "?", frozenset()), browser)
        return None
    if not verify_password(user.password, password):
        refuse_sign_in(acting_as(product, user), browser)
        return None
    clear_password_guesses(product, user.id, browser)
    if is_hash_outdated(user.password):
        product.store.users.change(user.id, {"password": hash_password(password)})
    return user


def check_code(product: Product, seal: Seal, user: User, code: str, browser: Browser) -> bool:
    """Return whether the code is correct. Raises `TooManyTries`."""
    count_code_guess(product, user.id, browser)
    if accept_code(product, seal, user, code):
        clear_code_guesses(product, user.id, browser)
        return True
    refuse_sign_in(acting_as(product, user), browser)
    return False


def acting_as(product: Product, user: User) -> Acting:
    """Return an `Acting` for the user with all rights of the role."""
    return Acting(product, user.name, user.rights, user_id=user.id)


@audited("session.begin")
def sign_user_in(acting: Acting, browser: Browser, lengths: SessionLengths, by: str = "") -> ChangeResult[str]:
    """Sign in the acting user after all checks, and return the session secret. by: who has proved them, if not we."""
    user, product = require_own_user(acting), acting.product
    product.store.users.change(user.id, {"signed_in_at": product.now()})
    return change_result(begin_session(product, user, browser, lengths), _session_line(acting, browser, by))


@audited("session.end")
def sign_user_out(acting: Acting, secret: str, browser: Browser) -> ChangeResult[None]:
    """End the session with this secret."""
    acting.product.store.sessions.end(hash_session_secret(secret))
    return change_result(None, _session_line(acting, browser))


def _session_line(acting: Acting, browser: Browser, by: str = "") -> AuditLine:
    return AuditLine(f"user:{acting.who}", new=" ".join(filter(None, (browser.address or "?", by))))
