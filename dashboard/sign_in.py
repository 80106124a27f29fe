"""HTTP Basic sign-in with one password; the user name is kept as who decided."""

import hmac
import threading
from collections import deque
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from flask import Flask, Response, g, make_response, render_template, request

from dashboard.permissions import RIGHTS
from dashboard.services import Clock
from store.records import Role

FAILURES: Final = 10  # wrong passwords from one address ...
PERIOD: Final = timedelta(minutes=5)  # ... within this time, and it has to wait
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_OPEN: Final = frozenset({"healthz"})
_NAME_LENGTH: Final = 80


class Failures:
    """Wrong passwords by address, in this process."""

    def __init__(self) -> None:
        self._times: dict[str, deque[datetime]] = {}
        self._lock = threading.Lock()

    def too_many(self, address: str, now: datetime) -> bool:
        """Whether this address has to wait."""
        with self._lock:
            self._forget(now)
            return len(self._times.get(address, ())) >= FAILURES

    def add(self, address: str, now: datetime) -> None:
        """Count one wrong password."""
        with self._lock:
            self._times.setdefault(address, deque(maxlen=FAILURES)).append(now)

    def _forget(self, now: datetime) -> None:
        gone = [address for address, times in self._times.items() if times[-1] <= now - PERIOD]
        for address in gone:
            del self._times[address]


def _refuse(status: int) -> Response:
    response = make_response(render_template("error.html", status=status, detail=None), status)
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Basic realm="wenhen", charset="UTF-8"'
    elif status == 429:
        response.headers["Retry-After"] = str(int(PERIOD.total_seconds()))
    return response


def install(app: Flask, password: str | None, clock: Clock) -> None:
    """Ask for the password before every page but the health check.

    Without one nobody is asked, and only loopback host names are answered.
    """
    failures = Failures()

    def check() -> Response | None:
        g.user, g.rights = "local", RIGHTS[Role.ADMINISTRATOR]
        if request.endpoint in _OPEN:
            return None
        if password is None:
            return None if urlsplit(f"//{request.host}").hostname in LOOPBACK else _refuse(400)
        address, now = request.remote_addr or "", clock()
        if failures.too_many(address, now):
            return _refuse(429)
        given = request.authorization
        if given is None or given.type != "basic":
            return _refuse(401)
        if not hmac.compare_digest((given.password or "").encode(), password.encode()):
            failures.add(address, now)
            return _refuse(401)
        g.user = (given.username or "").strip()[:_NAME_LENGTH] or "local"
        return None

    app.before_request(check)
