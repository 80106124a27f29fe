"""Compress text responses, and let browsers cache static files, whose addresses contain their digest."""

import gzip
import secrets
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import brotli  # type: ignore[import-untyped]  # it ships no types
from flask import Flask, Response, request

_MIN_BYTES: Final = 1_024  # saving less than a packet is not worth the work
_TEXT_TYPES: Final = frozenset(
    {
        *("text/html", "text/css", "text/javascript", "text/plain", "text/csv", "image/svg+xml"),
        *("application/json", "application/problem+json", "application/javascript"),
    }
)
_DIGEST_CHARACTERS: Final = 12
_LASTING: Final = "public, max-age=31536000, immutable"  # a year, because a changed file has a new address
_MAX_PADDING: Final = 64  # characters of random length, to hide the compression ratio
_CACHED_FILES: Final = 128

# By encoding name of RFC 9110. `lasting` marks static files, which are compressed only once.
_ENCODERS: Final[Mapping[str, Callable[[bytes, bool], bytes]]] = {
    "br": lambda body, lasting: bytes(brotli.compress(body, quality=11 if lasting else 4)),
    "gzip": lambda body, lasting: gzip.compress(body, 9 if lasting else 5, mtime=0),
}


def install_compression(app: Flask) -> None:
    """Compress responses after all other hooks, and add the digest of a static file to its address."""
    app.after_request(_compress)
    app.after_request(_keep_files)
    app.url_defaults(_add_digest)


def _compress(response: Response) -> Response:
    """Compress a text response of sufficient length with the best encoding that the client accepts."""
    if response.mimetype not in _TEXT_TYPES or response.status_code != 200 or "Content-Encoding" in response.headers:
        return response
    lasting = response.direct_passthrough  # a static file of the dashboard or of a wheel
    if response.is_streamed and not lasting:
        return response
    response.vary.add("Accept-Encoding")
    name = request.accept_encodings.best_match(tuple(_ENCODERS)) if request.accept_encodings else None
    if name is None or name not in _ENCODERS or request.method == "HEAD":
        return response
    response.direct_passthrough = False
    body = response.get_data()
    if len(body) < _MIN_BYTES:
        return response
    response.set_data(_compress_file(name, body) if lasting else _ENCODERS[name](body, False))
    response.headers["Content-Encoding"] = name
    if lasting:
        etag, _ = response.get_etag()
        response.set_etag(f"{etag}-{name}", weak=True)
    else:  # BREACH: the length must not reveal secrets next to text that an attacker made us repeat
        response.headers["X-Padding"] = "0" * secrets.randbelow(_MAX_PADDING)
    return response


@lru_cache(_CACHED_FILES)
def _compress_file(name: str, body: bytes) -> bytes:
    return _ENCODERS[name](body, True)


def _add_digest(endpoint: str, values: dict[str, Any]) -> None:
    if endpoint == "static" and "filename" in values and (digest := _file_digest(str(values["filename"]))):
        values.setdefault("v", digest)


def _keep_files(response: Response) -> Response:
    if request.endpoint == "static" and request.view_args and response.status_code in (200, 304):
        digest = _file_digest(str(request.view_args["filename"]))
        if digest is not None and request.args.get("v") == digest:
            response.headers["Cache-Control"] = _LASTING
    return response


def _file_digest(name: str) -> str | None:
    file = Path(__file__).parent.parent / "static" / name
    try:
        changed = file.stat().st_mtime_ns
    except OSError:
        return None
    return _digest_of(file, changed)


@lru_cache(_CACHED_FILES)
def _digest_of(file: Path, changed: int) -> str:  # noqa: ARG001  a file that changed is read again
    return sha256(file.read_bytes()).hexdigest()[:_DIGEST_CHARACTERS]
