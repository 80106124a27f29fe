"""The second factor: codes that change every 30 seconds (TOTP, RFC 6238), and recovery codes for when they are lost."""

import hmac
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from typing import Final

import pyotp
import segno

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.people.account import own
from services.people.proving import prove_code, prove_password
from services.people.users import subject, without_second_factor
from services.sealed_secrets import Seal, is_sealed
from store.errors import BadInput
from store.records import User

ISSUER: Final = "Wenhen"
_RECOVERY_CODES: Final = 10
_STEP: Final = 30  # seconds
_WINDOW: Final = 1  # steps that a clock may be wrong by


def begin(acting: Acting, seal: Seal, password: str, code: str = "") -> str:
    """A new secret for who acts, which counts once a first code of it was right; until then nothing has changed.

    Asks for the password, and for a code where a second factor is to be replaced: a session that was left open, or
    stolen, must not become the only one that gets in. BadInput for a wrong one, TooManyTries.
    """
    user, secret = own(acting), pyotp.random_base32()
    _prove(acting, seal, user, password, code)
    acting.product.store.users.change(user.id, {"totp_pending": seal.seal(secret, user.id)})
    return secret


def pending(seal: Seal, user: User) -> str | None:
    """The secret that is to be put into an authenticator, in base32."""
    return seal.unseal(user.totp_pending, user.id) if user.totp_pending else None


def picture(seal: Seal, user: User) -> bytes:
    """The pending secret as a QR code for an authenticator, SVG. BadInput where none is pending."""
    secret = pending(seal, user)
    if secret is None:
        raise BadInput("people.no_factor")
    address = pyotp.TOTP(secret).provisioning_uri(name=user.name, issuer_name=ISSUER)
    drawn = BytesIO()
    segno.make(address, error="m").save(drawn, kind="svg", scale=5, border=3, dark="#1e2024", light="#ffffff")
    return drawn.getvalue()


@audited("user.second_factor")
def confirm(acting: Acting, seal: Seal, code: str) -> Changed[list[str]]:
    """Turn one's second factor on; recovery codes, to be shown once. BadInput for a wrong code, TooManyTries."""
    user, users = own(acting), acting.product.store.users
    secret = pending(seal, user)

    def is_right() -> bool:
        step = _step_of(secret, code, acting.product.now()) if secret else None
        return step is not None and users.take_step(user.id, step)

    prove_code(acting, user, is_right)
    codes = [_recovery_code() for _ in range(_RECOVERY_CODES)]
    kept = tuple(_digest(code) for code in codes)
    users.change(user.id, {"totp_secret": user.totp_pending, "totp_pending": None, "recovery": kept})
    return changed(codes, Line(subject(user), new="on"))


@audited("user.drop_second_factor")
def drop(acting: Acting, seal: Seal, password: str, code: str) -> Changed[None]:
    """Turn one's second factor off, by the password and a code. BadInput for a wrong one, and where the role has to
    have a second factor; TooManyTries.
    """
    user = own(acting)
    if is_duty(acting.product, user):
        raise BadInput("people.factor_is_duty")
    _prove(acting, seal, user, password, code)
    without_second_factor(acting.product.store, user.id)
    return changed(None, Line(subject(user)))


def is_duty(product: Product, user: User) -> bool:
    """Whether the settings ask everybody of this role for a second factor."""
    return user.role in product.settings.dashboard.second_factor_for


def is_lacking(product: Product, user: User) -> bool:
    """Whether the user has to set one up before anything else."""
    return user.totp_secret is None and is_duty(product, user)


def accepts(product: Product, seal: Seal, user: User, code: str) -> bool:
    """Whether the code is right, of the moment or for recovery; neither is right a second time."""
    users, code = product.store.users, "".join(code.split())
    if user.totp_secret is None:
        return False
    secret = seal.unseal(user.totp_secret, user.id)
    step = _step_of(secret, code, product.now()) if secret else None
    if secret and step is not None:
        if not is_sealed(user.totp_secret):
            users.change(user.id, {"totp_secret": seal.seal(secret, user.id)})
        return users.take_step(user.id, step)
    return users.take_recovery(user.id, _digest(code))


def _prove(acting: Acting, seal: Seal, user: User, password: str, code: str) -> None:
    prove_password(acting, user, password)
    if user.totp_secret:
        prove_code(acting, user, lambda: accepts(acting.product, seal, user, code))


def _step_of(secret: str, code: str, now: datetime) -> int | None:
    """The time step that the code belongs to, when it is one of those around now."""
    code = "".join(code.split())
    present = int(now.timestamp()) // _STEP
    for step in range(present - _WINDOW, present + _WINDOW + 1):
        if hmac.compare_digest(pyotp.TOTP(secret).generate_otp(step).encode(), code.encode()):
            return step
    return None


def _recovery_code() -> str:
    letters = pyotp.random_base32(32)[:16].lower()
    return "-".join(letters[at : at + 4] for at in range(0, 16, 4))


def _digest(code: str) -> str:
    return sha256(code.lower().replace("-", "").encode("utf-8", "replace")).hexdigest()
