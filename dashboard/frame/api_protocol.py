"""Authenticate bearer tokens, bound bodies, and answer API errors as JSON."""

import re
import secrets
from typing import Final

from flask import Flask, Response, g, jsonify, request
from marshmallow import Schema, fields
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import HTTPException, Unauthorized

from dashboard.frame.context import services
from dashboard.frame.security import is_open_to_all
from wenhen.accounts.sessions import find_bearer
from wenhen.kit.errors import (
    BadInput,
    Conflict,
    FetchRefused,
    Forbidden,
    NotFound,
    TooLarge,
    TooManyTries,
    Unavailable,
    WenhenError,
)
from wenhen.kit.rights import ActingToken
from wenhen.kit.size_and_time_limits import MAX_CHECK_MB, MAX_IMPORT_MB, MAX_STORED_MB, MEBIBYTE

# Every view of the API requires a token, and ignores the cookies of browsers.


API_PREFIX: Final = "/api/"
_MAX_BODY_BYTES: Final = 1 * MEBIBYTE
_MAX_BODY_BYTES_BY_PATH: Final = {
    "/api/v1/imports": MAX_IMPORT_MB * MEBIBYTE,
    "/api/v1/works/one": 16 * MEBIBYTE,
    "/api/v1/works/details": MAX_CHECK_MB * MEBIBYTE,
    "/api/v1/captures": MAX_IMPORT_MB * MEBIBYTE,
    "/api/v1/holders/one/papers": MAX_STORED_MB * MEBIBYTE,
    "/api/v1/sites/import": MAX_CHECK_MB * MEBIBYTE,
    "/api/v1/marks": MAX_CHECK_MB * MEBIBYTE,
    "/api/v1/marks/read": MAX_CHECK_MB * MEBIBYTE,
    "/api/v1/texts/check": MAX_CHECK_MB * MEBIBYTE,
    "/api/v1/texts/original": MAX_CHECK_MB * MEBIBYTE,
}
_RECEIPT_PATH: Final = re.compile(r"/api/v1/exhibits/[^/]+/receipts")


def install_token_sign_in(app: Flask) -> None:
    """Require a token for every request to the API that is not open to all."""
    app.before_request(_authenticate)


def _authenticate() -> None:
    if not request.path.startswith(API_PREFIX):
        return
    request.max_content_length = request.max_form_memory_size = _max_body_bytes(request.path)
    if is_open_to_all():
        return
    given = request.authorization
    bearer = None
    if given is not None and given.type == "bearer" and given.token:
        bearer = find_bearer(services().product, given.token)
    if bearer is None:
        challenge = WWWAuthenticate("bearer", {"realm": "wenhen"})
        raise Unauthorized("send a valid token: Authorization: Bearer wenhen_…", www_authenticate=challenge)
    token, user, rights = bearer
    g.user, g.rights, g.token, g.account = user.name, rights, ActingToken(token.id, token.name), user


def _max_body_bytes(path: str) -> int:
    """Return the size limit of a request body for this path."""
    return (
        MAX_STORED_MB * MEBIBYTE
        if _RECEIPT_PATH.fullmatch(path)
        else _MAX_BODY_BYTES_BY_PATH.get(path, _MAX_BODY_BYTES)
    )


# The format of all errors: {code, message, detail, request_id}.


REQUEST_ID_HEADER: Final = "X-Request-Id"
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_STATUS_BY_ERROR: Final[dict[type[WenhenError], int]] = {
    NotFound: 404,
    TooLarge: 413,
    BadInput: 400,
    Conflict: 409,
    Forbidden: 403,
    TooManyTries: 429,
    FetchRefused: 422,
    Unavailable: 503,
    WenhenError: 500,
}
_CODE_BY_STATUS: Final = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "too_large",
    415: "unsupported_media_type",
    422: "invalid",
    429: "too_many_requests",
    500: "internal",
    503: "unavailable",
}


class ErrorSchema(Schema):
    """The body of all answers with a status from 400 on."""

    code = fields.String(required=True, metadata={"description": "for programs, e.g. not_found"})
    message = fields.String(required=True, metadata={"description": "for people: what was wrong, and what to do"})
    detail = fields.Raw(required=True, metadata={"description": "what is wrong in each field, or null"})
    request_id = fields.String(required=True, metadata={"description": "as the header X-Request-Id has it"})


def is_api_request() -> bool:
    """Return whether the current request is for the API."""
    return request.path.startswith(API_PREFIX)


def product_error_response(error: WenhenError) -> Response:
    """Answer with an error of the product's class tree."""
    status = next(status for kind, status in _STATUS_BY_ERROR.items() if isinstance(error, kind))
    return _error_response(status, str(error.message))


def http_error_response(error: HTTPException) -> Response:
    """Answer with an HTTP error. If the request violates the schema, list the problem of each field."""
    wrong = (getattr(error, "data", None) or {}).get("messages")
    problem = _first_problem(wrong) if wrong else error.description or error.name
    answer = _error_response(error.code or 500, problem, wrong)
    for name, value in error.get_headers(request.environ):
        if name.lower() not in {"content-type", "content-length"}:
            answer.headers[name] = value
    return answer


def _first_problem(wrong: object) -> str:
    """Return the problem of the first field with its path: `query.limit: Not a valid integer.`"""
    place = []
    while isinstance(wrong, dict):
        name, wrong = next(iter(wrong.items()))
        place.append(str(name))
    return f"{'.'.join(place)}: {wrong[0] if isinstance(wrong, list) else wrong}"


def _error_response(status: int, message: str, detail: object = None) -> Response:
    answer = jsonify(code=_CODE_BY_STATUS.get(status, "error"), message=message, detail=detail, request_id=g.request_id)
    answer.status_code = status
    return answer


def install_request_ids(app: Flask) -> None:
    """Give every request an id, the caller's own if it sends one. A header returns the id."""

    def name() -> None:
        given = request.headers.get(REQUEST_ID_HEADER, "")
        g.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)

    def tell(response: Response) -> Response:
        if "request_id" in g:
            response.headers[REQUEST_ID_HEADER] = g.request_id
        if response.status_code < 400:
            response.headers.pop("Retry-After", None)  # the limiter adds it to every answer
        return response

    app.before_request(name)
    app.after_request(tell)
