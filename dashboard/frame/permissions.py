"""Who may do what: one table of roles and rights, asked before every view of the browser and of the API."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, TypeVar

from flask import Flask, abort, current_app, g, request
from flask.typing import ResponseReturnValue

from store.records import Role

View = TypeVar("View", bound=Callable[..., object])


class Right(StrEnum):
    """What a view lets somebody do; also the scopes of a token."""

    READ = "read"  # look at every screen but those below
    CHECK = "check"  # ask whether a text is copied, or original
    EXPORT = "export"  # reports, lists and evidence to take away
    COMMENT = "comment"
    DECIDE = "decide"  # triage: confirm, dismiss, open again, quiet
    ASSIGN = "assign"  # hand a case to somebody
    PROCEED = "proceed"  # the path after confirmation: notice sent, removed, refused, escalated
    WORKS = "works"  # import and remove works
    SITES = "sites"  # add, change, pause and remove sites
    ACCESS = "access"  # how sites are reached: sessions, proxies, private addresses; whether robots.txt is obeyed
    CRAWL = "crawl"  # crawl now
    LICENCES = "licences"  # grant and withdraw
    OPERATE = "operate"  # what keeps the system running: retry what failed
    AUDIT = "audit"  # read the audit log
    ACCOUNT = "account"  # one's own password, second factor, sessions and tokens
    USERS = "users"  # other people, their roles and tokens
    WEBHOOKS = "webhooks"  # who is told of cases


_EVERYBODY: Final = {Right.READ, Right.CHECK, Right.EXPORT, Right.COMMENT, Right.DECIDE, Right.ACCOUNT}
RIGHTS: Final[dict[Role, frozenset[Right]]] = {
    Role.OPERATOR: frozenset(_EVERYBODY | {Right.WORKS, Right.SITES, Right.CRAWL, Right.OPERATE}),
    Role.REVIEWER: frozenset(_EVERYBODY | {Right.ASSIGN, Right.WORKS, Right.CRAWL}),
    Role.LAWYER: frozenset(_EVERYBODY | {Right.ASSIGN, Right.PROCEED, Right.LICENCES, Right.AUDIT}),
    Role.ADMINISTRATOR: frozenset(Right),
}

_NEEDS: Final = "wenhen_needs"
_OPEN: Final = "open to everybody"  # sign-in and the health check


def needs(right: Right) -> Callable[[View], View]:
    """Declare what a view needs, right below its route; whoever lacks it is answered 403."""

    def mark(view: View) -> View:
        setattr(view, _NEEDS, right)
        return view

    return mark


def open_to_all(view: View) -> View:
    """Declare that a view answers to whoever asks, signed in or not."""
    setattr(view, _NEEDS, _OPEN)
    return view


def may(right: Right | str) -> bool:
    """Whether the present user has the right; templates ask it to leave out what would be refused."""
    return right in g.get("rights", ())


def require(right: Right) -> None:
    """Answer 403 unless the present user has the right, where it depends on what was sent."""
    if not may(right):
        abort(403)


def who() -> str:
    """Name of the present user."""
    name: str = g.user
    return name


def declared(app: Flask, endpoint: str) -> Right | str | None:
    """What the view behind an endpoint needs; None where nothing was declared, and so nobody gets in."""
    found: Right | str | None = getattr(app.view_functions[endpoint], _NEEDS, None)
    return found


def is_open() -> bool:
    """Whether the present request asks for what needs no sign-in: such a view, or a file of ours."""
    endpoint = request.endpoint
    return endpoint == "static" or (endpoint is not None and declared(current_app, endpoint) == _OPEN)


def install(app: Flask) -> None:
    """Ask before every view; it comes after sign-in, which knows the rights."""

    def ask() -> ResponseReturnValue | None:
        if request.endpoint is None or is_open():  # no such page, or the wrong method: answered as such
            return None
        right = declared(app, request.endpoint)
        if not isinstance(right, Right):
            abort(403, f"no right is declared for {request.endpoint}")
        require(right)
        return None

    app.before_request(ask)
    app.add_template_global(may, "may")
