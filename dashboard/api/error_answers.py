"""The one shape of an error: {code, message, detail, request_id}."""

import re
import secrets
from typing import Final

from flask import Flask, Response, g, jsonify, request
from marshmallow import Schema, fields
from werkzeug.exceptions import HTTPException

from dashboard.api.bearer import PREFIX
from store.errors import (
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

HEADER: Final = "X-Request-Id"
_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_STATUSES: Final[dict[type[WenhenError], int]] = {
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
_CODES: Final = {
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
    """What is answered with every status from 400 on."""

    code = fields.String(required=True, metadata={"description": "for programs, e.g. not_found"})
    message = fields.String(required=True, metadata={"description": "for people: what was wrong, and what to do"})
    detail = fields.Raw(required=True, metadata={"description": "what is wrong in each field, or null"})
    request_id = fields.String(required=True, metadata={"description": "as the header X-Request-Id has it"})


def asked() -> bool:
    """Whether the present request is for the API."""
    return request.path.startswith(PREFIX)


def of_ours(error: WenhenError) -> Response:
    """An error of the product's tree."""
    status = next(status for kind, status in _STATUSES.items() if isinstance(error, kind))
    return _answer(status, str(error.message))


def of_http(error: HTTPException) -> Response:
    """An error of HTTP, with what was wrong in each field where the schema was not met."""
    wrong = (getattr(error, "data", None) or {}).get("messages")
    told = _first(wrong) if wrong else error.description or error.name
    answer = _answer(error.code or 500, told, wrong)
    for name, value in error.get_headers(request.environ):
        if name.lower() not in {"content-type", "content-length"}:
            answer.headers[name] = value
    return answer


def _first(wrong: object) -> str:
    """What is wrong in the first field, by its place: `query.limit: Not a valid integer.`"""
    place = []
    while isinstance(wrong, dict):
        name, wrong = next(iter(wrong.items()))
        place.append(str(name))
    return f"{'.'.join(place)}: {wrong[0] if isinstance(wrong, list) else wrong}"


def _answer(status: int, message: str, detail: object = None) -> Response:
    answer = jsonify(code=_CODES.get(status, "error"), message=message, detail=detail, request_id=g.request_id)
    answer.status_code = status
    return answer


def install(app: Flask) -> None:
    """Give every request an id, the caller's own where it sends one; it comes back in a header."""

    def name() -> None:
        given = request.headers.get(HEADER, "")
        g.request_id = given if _ID.fullmatch(given) else secrets.token_hex(8)

    def tell(response: Response) -> Response:
        if "request_id" in g:
            response.headers[HEADER] = g.request_id
        if response.status_code < 400:
            response.headers.pop("Retry-After", None)  # the limiter says it of every answer
        return response

    app.before_request(name)
    app.after_request(tell)
