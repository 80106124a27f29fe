"""Who may see what: the right that each view declares, asked before every view of the browser and of the API."""

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from flask import Flask, abort, current_app, g, request
from flask.typing import ResponseReturnValue

from store.rules.role_rights import Right

logger = logging.getLogger(__name__)
View = TypeVar("View", bound=Callable[..., object])


_NEEDS: Final = "wenhen_needs"
PROBES: Final = ("livez", "readyz", "healthz")  # endpoints that machines ask, by whatever name
_OPEN: Final = "open to everybody"  # sign-in and the probes


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
        if not may(right):
            logger.warning("%s asked for %s, which needs %s", g.get("user"), request.endpoint, right)
            abort(403)
        return None

    app.before_request(ask)
    app.add_template_global(may, "may")
