"""How often an address, or a token, may ask; counted in Redis, so that every process counts together."""

from typing import Final

from flask import Blueprint, Flask, current_app, g, request
from flask_limiter import Limiter

from services.people.guess_limits import network
from store.records import ActingToken

PER_MINUTE: Final = "WENHEN_API_PER_MINUTE"  # in the configuration: how often one token of the API may ask


def address() -> str:
    """Who is counted: the address, of an IPv6 one the network that a household has."""
    return network(request.remote_addr or "")


def caller() -> str:
    """A program by its token, whatever address it calls from."""
    token: ActingToken | None = g.get("token")
    return f"token:{token.id}" if token else address()


limiter: Final = Limiter(address, headers_enabled=True, in_memory_fallback_enabled=True, key_prefix="wenhen")


def limit_calls(part: Blueprint) -> None:
    """Count what is asked of a part of the API together with what is asked of the others."""
    limiter.shared_limit(
        lambda: f"{current_app.config[PER_MINUTE]} per minute",
        scope="api",
        key_func=caller,
        error_message="that was asked too often in a minute: go on after the seconds that Retry-After names",
    )(part)


def install(app: Flask, storage: str) -> None:
    """Count there: `memory://`, or the address of a Redis."""
    app.config["RATELIMIT_STORAGE_URI"] = storage
    limiter.init_app(app)
