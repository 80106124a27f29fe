"""The second factor: codes that change every 30 seconds (TOTP, RFC 6238), and recovery codes for when they are lost."""

import hmac
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from typing import Final

import pyotp
import segno

from services.people.sealing import is_sealed, seal, unseal
from store.errors import BadInput
from store.ports import Store
from store.records import User

ISSUER: Final = "Wenhen"
_RECOVERY_CODES: Final = 10
_STEP: Final = 30  # seconds
_WINDOW: Final = 1  # steps that a clock may be wrong by


def begin(store: Store, user: User) -> str:
    """A new secret, which counts once a first code of it was right."""
    secret = pyotp.random_base32()
    store.users.change(user.id, {"totp_pending": seal(secret, user.id)})
    return secret


def pending(user: User) -> str | None:
    """The secret that is to be put into an authenticator, in base32."""
    return unseal(user.totp_pending, user.id) if user.totp_pending else None


def picture(user: User) -> bytes:
    """The pending secret as a QR code for an authenticator, SVG. BadInput where none is pending."""
    secret = pending(user)
    if secret is None:
        raise BadInput("nothing is to be set up")
    address = pyotp.TOTP(secret).provisioning_uri(name=user.name, issuer_name=ISSUER)
    drawn = BytesIO()
    segno.make(address, error="m").save(drawn, kind="svg", scale=5, border=3, dark="#1e2024", light="#ffffff")
    return drawn.getvalue()


def confirm(store: Store, user: User, code: str, now: datetime) -> list[str]:
    """Turn the second factor on; recovery codes, to be shown once. BadInput, with its words, for a wrong code."""
    secret = pending(user)
    step = _step_of(secret, code, now) if secret else None
    if step is None or not store.users.take_step(user.id, step):
        raise BadInput("totp.wrong")
    codes = [_recovery_code() for _ in range(_RECOVERY_CODES)]
    kept = tuple(_digest(code) for code in codes)
    store.users.change(user.id, {"totp_secret": user.totp_pending, "totp_pending": None, "recovery": kept})
    return codes


def accepts(store: Store, user: User, code: str, now: datetime) -> bool:
    """Whether the code is right, of the moment or for recovery; neither is right a second time."""
    code = "".join(code.split())
    if user.totp_secret is None:
        return False
    secret = unseal(user.totp_secret, user.id)
    step = _step_of(secret, code, now) if secret else None
    if secret and step is not None:
        if not is_sealed(user.totp_secret):
            store.users.change(user.id, {"totp_secret": seal(secret, user.id)})
        return store.users.take_step(user.id, step)
    return store.users.take_recovery(user.id, _digest(code))


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
