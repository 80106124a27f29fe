"""What tests of screens and of the API share."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

MARKUP = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}"

CJK = re.compile("[\u3400-\u9fff]")

MakeApp = Callable[..., Flask]


class Foreign(HTMLParser):
    """Collects what a browser would run or load that is not ours."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        ours = (dict(attrs).get("src") or "").startswith("/static/")
        if tag in {"script", "img", "iframe", "object"} and not ours:
            self.found.append(tag)
        self.found += [
            name for name, value in attrs if name.startswith("on") or (value or "").startswith("javascript:")
        ]


def token_in(page: str) -> str:
    """The token against forged forms that a page carries."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found, page[:2000]
    return found[1]


def post(client: FlaskClient, address: str, /, *, form_at: str, **form: object) -> TestResponse:
    """Send a form as a browser would, with the token of the page that it stands on."""
    return client.post(address, data={**form, "csrf_token": token_in(client.get(form_at).text)})


def post_and_follow(client: FlaskClient, address: str, /, *, form_at: str, **form: object) -> TestResponse:
    """The same; the page that the browser shows afterwards."""
    data = {**form, "csrf_token": token_in(client.get(form_at).text)}
    return client.post(address, data=data, follow_redirects=True)


def numbers(client: FlaskClient, address: str) -> list[int]:
    """The numbers of the cases that a screen lists."""
    rows = re.findall(r'<th scope="row"[^>]*><a href="/cases/(\d+)[?"]', client.get(address).text)
    return [int(row) for row in rows]


@dataclass
class Caller:
    """A program with a token."""

    client: FlaskClient
    token: str
    id: str

    def __call__(self, method: str, path: str, **more: Any) -> TestResponse:
        headers = {"Authorization": f"Bearer {self.token}", **more.pop("headers", {})}
        return self.client.open(f"/api/v1{path}", method=method, headers=headers, **more)


MakeCaller = Callable[..., Caller]
