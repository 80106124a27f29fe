"""How often an address, or a token, may ask; counted in Redis, so that every process counts together."""

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from flask import Flask, g, request
from flask_limiter import Limiter

from store.records import ActingToken

GUESSES: Final = "10 per 5 minutes"  # wrong passwords and codes from one address


def address() -> str:
    """Who is counted: the address, of an IPv6 one the network that a household has."""
    given = request.remote_addr or ""
    try:
        parsed = ip_address(given)
    except ValueError:
        return given
    return str(ip_network((parsed, 64), strict=False)) if isinstance(parsed, IPv6Address) else given


def caller() -> str:
    """A program by its token, whatever address it calls from."""
    token: ActingToken | None = g.get("token")
    return f"token:{token.id}" if token else address()


limiter: Final = Limiter(address, headers_enabled=True, in_memory_fallback_enabled=True, key_prefix="wenhen")


def install(app: Flask, storage: str) -> None:
    """Count there: `memory://`, or the address of a Redis."""
    app.config["RATELIMIT_STORAGE_URI"] = storage
    limiter.init_app(app)
