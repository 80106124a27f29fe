"""A token is asked for before every view of the API; the cookie of a browser is worth nothing here."""

import re
from typing import Final

from flask import Flask, g, request
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized

from dashboard.frame.context import services
from dashboard.frame.permissions import is_open
from dashboard.frame.uploads import CHECK_MB, IMPORT_MB, KEPT_MB, MB
from services.people.tokens import bearer
from store.records import ActingToken

PREFIX: Final = "/api/"
_BODY: Final = 1 * MB
_BODIES: Final = {
    "/api/v1/imports": IMPORT_MB * MB,
    "/api/v1/works/one": 16 * MB,
    "/api/v1/works/details": CHECK_MB * MB,
    "/api/v1/captures": IMPORT_MB * MB,
    "/api/v1/holders/one/papers": KEPT_MB * MB,
    "/api/v1/sites/import": CHECK_MB * MB,
    "/api/v1/texts/check": CHECK_MB * MB,
    "/api/v1/texts/original": CHECK_MB * MB,
}
_RECEIPTS: Final = re.compile(r"/api/v1/exhibits/[^/]+/receipts")


def install(app: Flask) -> None:
    """Ask before every request to the API that is not open to all."""
    app.before_request(_ask)


def _ask() -> None:
    if not request.path.startswith(PREFIX):
        return
    request.max_content_length = request.max_form_memory_size = _most(request.path)
    if is_open():
        return
    given = request.authorization
    found = None
    if given is not None and given.type == "bearer" and given.token:
        found = bearer(services().product, given.token)
    if found is None:
        challenge = WWWAuthenticate("bearer", {"realm": "wenhen"})
        raise Unauthorized("send a valid token: Authorization: Bearer wenhen_…", www_authenticate=challenge)
    token, user, rights = found
    g.user, g.rights, g.token, g.account = user.name, rights, ActingToken(token.id, token.name), user


def _most(path: str) -> int:
    """Bytes that a body sent to this address may have."""
    return KEPT_MB * MB if _RECEIPTS.fullmatch(path) else _BODIES.get(path, _BODY)
