"""Who sits at a live session proves to be its user, before what lets somebody in is changed."""

from collections.abc import Callable

from services.acting import Acting
from services.people import guessing, passwords
from store.errors import BadInput
from store.records import User


def prove_password(acting: Acting, user: User, password: str) -> None:
    """Go on only with the user's password. Raises `BadInput` for another, `TooManyTries`; what is wrong is counted and
    written down.
    """
    prove(acting, user, lambda: passwords.verify(user.password, password), "people.password_wrong")


def prove(acting: Acting, user: User, is_right: Callable[[], bool], refusal: str) -> None:
    """The same by anything else that only the user can give; refusal: the code of what is said of what is wrong."""
    guessing.count_own(acting.product, user.id)
    if not is_right():
        guessing.refuse_own(acting)
        raise BadInput(refusal)
    guessing.right_own(acting.product, user.id)
