"""A provider of OpenID Connect on loopback, and a person who signs in there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from oidc_provider_mock import User, run_server_in_thread


@contextmanager
def provider(*people: tuple[str, dict[str, Any]]) -> Iterator[str]:
    """Run a provider that knows these people by their ids, with their claims. Returns its issuer."""
    known = [User(sub=sub, claims=claims) for sub, claims in people]
    with run_server_in_thread(user_claims=known, require_nonce=True) as server:
        yield f"http://localhost:{server.server_port}"


def agree(address: str, sub: str) -> dict[str, str]:
    """Sign in as this person at the provider, and return what it sends back with the browser."""
    answer = httpx.post(address, data={"sub": sub})
    assert answer.status_code == 302, answer.text[:300]
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}
