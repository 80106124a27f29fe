"""Which token of the API is acted by: known to whoever lets a request in, and written into every audit entry."""

from contextvars import ContextVar
from typing import Final

from store.records import ActingToken

_ACTING: Final[ContextVar[ActingToken | None]] = ContextVar("acting_token", default=None)


def act_by(token: ActingToken | None) -> None:
    """What this thread does from now on is done through the token; None: no more through one."""
    _ACTING.set(token)


def acting_token() -> ActingToken | None:
    """The token; None where a person or a command acts."""
    return _ACTING.get()
