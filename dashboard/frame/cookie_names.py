"""What our cookies are called: over HTTPS so that no other host, and no page sent without TLS, can set them."""

from flask import request


def cookie_name(name: str) -> str:
    """The name, with the prefix `__Host-` (RFC 6265bis) over HTTPS; at loopback there is none, and browsers would
    refuse it.
    """
    return f"__Host-{name}" if request.is_secure else name
