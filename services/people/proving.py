"""Who sits at a live session proves to be its user, before what lets somebody in is changed."""

from collections.abc import Callable

from services.acting import Acting
from services.people import guess_limits, passwords
from store.errors import BadInput
from store.records import User


def prove_password(acting: Acting, user: User, password: str) -> None:
    """Go on only with the user's password. Raises `BadInput` for another, `TooManyTries`; what is wrong is counted and
    written down.
    """
    if not _is_proved(acting, user, "password", lambda: passwords.verify(user.password, password)):
        raise BadInput("people.password_wrong")


def prove_code(acting: Acting, user: User, is_right: Callable[[], bool]) -> None:
    """The same by a code of the second factor."""
    if not _is_proved(acting, user, "code", is_right):
        raise BadInput("people.code_wrong")


def _is_proved(acting: Acting, user: User, what: str, is_right: Callable[[], bool]) -> bool:
    guess_limits.count_own(acting.product, user.id, what)
    if right := is_right():
        guess_limits.right_own(acting.product, user.id, what)
    else:
        guess_limits.refuse_own(acting)
    return right
