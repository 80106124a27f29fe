"""One's own account: the password, and the browsers that one is signed in with."""

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.people import passwords
from services.people.proving import prove_password
from services.people.users import subject
from store.errors import BadInput, Forbidden, NotFound
from store.records import User
from store.rules.role_rights import Right


def own(acting: Acting) -> User:
    """The user who acts. Forbidden for those who have no account of their own, such as a command."""
    acting.require(Right.ACCOUNT)
    if acting.user_id is None:
        raise Forbidden("people.may_not", right=Right.ACCOUNT.value)
    return acting.product.store.users.get(acting.user_id)


@audited("user.change_password")
def change_password(acting: Acting, old: str, new: str, *, session: str | None = None) -> Changed[None]:
    """Change one's password; the sessions end but this one.

    BadInput for a wrong old password, and for a new one that is the old one or too easy to guess; TooManyTries.
    """
    user, store = own(acting), acting.product.store
    prove_password(acting, user, old)
    passwords.check(new, user.name)
    if passwords.verify(user.password, new):
        raise BadInput("people.password_same")
    store.users.change(user.id, {"password": passwords.hashed(new), "must_change": False})
    store.sessions.end_all(user.id, but=session)
    return changed(None, Line(subject(user)))


@audited("user.end_sessions")
def end_sessions(acting: Acting, *, but: str | None = None) -> Changed[int]:
    """Sign oneself out everywhere but in this session; how many were ended."""
    user = own(acting)
    ended = acting.product.store.sessions.end_all(user.id, but=but)
    return changed(ended, Line(subject(user), new=str(ended)))


@audited("user.end_session")
def end_session(acting: Acting, id: str) -> Changed[None]:
    """Sign one of one's own browsers out. NotFound."""
    user, sessions = own(acting), acting.product.store.sessions
    found = sessions.get(id)
    if found is None or found.user_id != user.id:
        raise NotFound("store.no_session")
    sessions.end(id)
    return changed(None, Line(subject(user), old=found.address))
