"""Users as the administrator, the command and `wenhen up` change them; each change is in the audit log."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from dashboard.frame.context import services
from dashboard.frame.permissions import who
from services.people import passwords
from store.errors import BadInput, Conflict, NotFound
from store.ports import Store
from store.records import Role, User

NAME_LENGTH: Final = 60
FIRST: Final = "admin"  # name of the administrator that is made where there is nobody


def folded(name: str) -> str:
    """The id of a name: the same however it is typed."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


@dataclass(frozen=True, slots=True)
class People:
    """What can be done with users. Raises `BadInput`, `Conflict` and `NotFound`."""

    store: Store
    clock: Callable[[], datetime]
    by: str  # who does it

    def add(self, name: str, role: Role, password: str | None = None) -> tuple[User, str]:
        """A new user, and the password: the one given, or one that has to be changed at the first sign-in."""
        name = " ".join(unicodedata.normalize("NFKC", name).split())
        if not name or len(name) > NAME_LENGTH or not name.isprintable():
            raise BadInput(f"a name has 1 to {NAME_LENGTH} letters that can be printed")
        given = password or passwords.one_time()
        if password:
            passwords.check(password, name)
        user = User(
            id=folded(name),
            name=name,
            role=role,
            password=passwords.hashed(given),
            added_at=self.clock(),
            must_change=password is None,
        )
        self.store.users.add(user)
        self._note("user.add", user, new=str(role))
        return user, given

    def set_role(self, id: str, role: Role) -> None:
        """Give the user another role; it holds from the next request on."""
        user = self.store.users.get(id)
        if role is not Role.ADMINISTRATOR:
            self._keep_an_administrator(user)
        self.store.users.change(id, {"role": role})
        self._note("user.role", user, str(user.role), str(role))

    def disable(self, id: str) -> None:
        """Keep the user from signing in; sessions end, tokens rest."""
        user = self.store.users.get(id)
        self._keep_an_administrator(user)
        self.store.users.change(id, {"disabled_at": self.clock()})
        self.store.sessions.end_all(id)
        self._note("user.disable", user)

    def enable(self, id: str) -> None:
        """Let a disabled or locked user sign in again."""
        user = self.store.users.change(id, {"disabled_at": None, "locked_until": None, "failures": 0})
        self._note("user.enable", user)

    def reset_password(self, id: str) -> str:
        """A password that has to be changed at the next sign-in; sessions end, a lock is lifted."""
        given = passwords.one_time()
        user = self.store.users.change(
            id, {"password": passwords.hashed(given), "must_change": True, "locked_until": None, "failures": 0}
        )
        self.store.sessions.end_all(id)
        self._note("user.reset_password", user)
        return given

    def drop_second_factor(self, id: str) -> None:
        """Let the user sign in by password alone."""
        user = self.store.users.change(id, {"totp_secret": None, "totp_pending": None, "recovery": ()})
        self._note("user.drop_second_factor", user)

    def end_sessions(self, id: str, *, but: str | None = None) -> int:
        """Sign the user out everywhere, or everywhere else."""
        user = self.store.users.get(id)
        ended = self.store.sessions.end_all(id, but=but)
        self._note("user.end_sessions", user, new=str(ended))
        return ended

    def remove(self, id: str) -> None:
        """Remove the user, with sessions and tokens; what the log says of them stays."""
        user = self.store.users.get(id)
        self._keep_an_administrator(user)
        self.store.users.remove(id)
        self.store.sessions.end_all(id)
        self.store.tokens.remove_of(id)
        self._note("user.remove", user, old=str(user.role))

    def change_password(self, id: str, old: str, new: str, *, session: str | None = None) -> None:
        """Change one's own password; the other sessions end."""
        user = self.store.users.get(id)
        if not passwords.verify(user.password, old):
            raise BadInput("password.wrong")
        passwords.check(new, user.name)
        if passwords.verify(user.password, new):
            raise BadInput("password.same")
        self.store.users.change(id, {"password": passwords.hashed(new), "must_change": False})
        self.store.sessions.end_all(id, but=session)
        self._note("user.change_password", user)

    def _keep_an_administrator(self, user: User) -> None:
        others = [one for one in self.store.users.all() if one.id != user.id]
        if user.role is Role.ADMINISTRATOR and not any(_administers(one) for one in others):
            raise Conflict("users.last_administrator")

    def _note(self, action: str, user: User, old: str | None = None, new: str | None = None) -> None:
        self.store.audit.add(self.clock(), self.by, action, f"user:{user.id}", old, new)


def people() -> People:
    """The same, done by the present user."""
    return People(services().store, services().clock, who())


def first_administrator(store: Store, clock: Callable[[], datetime], password: str | None) -> str | None:
    """Make the first administrator where there is no user; the password, to be shown once. None: there is somebody."""
    if store.users.all():
        return None
    try:
        return People(store, clock, "wenhen").add(FIRST, Role.ADMINISTRATOR, password)[1]
    except Conflict:  # another process was quicker
        return None


def known(store: Store, name: str) -> User | None:
    """The user of this name, if there is one."""
    try:
        return store.users.get(folded(name))
    except NotFound:
        return None


def _administers(user: User) -> bool:
    return user.role is Role.ADMINISTRATOR and user.disabled_at is None
