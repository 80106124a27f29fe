"""What machines ask: is the process alive, can it serve, is the whole well? Open to all, so only names are told.

`/livez` looks at nothing but itself. `/readyz` is 200 where the servers answer that every screen needs. `/healthz` is
200 where all of the product is well: servers, indexes, disks, a worker for each queue, the clock. Each says what it
looked at, and when.
"""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from threading import Lock
from typing import Final

from flask import Flask

from dashboard.frame import permissions
from dashboard.frame.context import services
from services.upkeep.health import ServerState, readiness

_KEPT: Final = 5.0  # seconds: strangers ask as often as they like, and the question goes to every worker

Answer = tuple[dict[str, object], int]


class _Looked:
    """What was seen last, looked at anew when it is too old; one looks at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen: Mapping[str, ServerState] = {}
        self._at: datetime | None = None
        self._until = 0.0

    def __call__(self) -> Answer:
        with self._lock:
            if self._at is None or time.monotonic() >= self._until:
                self._at, self._seen = services().clock(), services().health()
                self._until = time.monotonic() + _KEPT
            return _answer(self._seen, self._at)


def _answer(seen: Mapping[str, ServerState], at: datetime) -> Answer:
    well = all(state.answers for state in seen.values())
    checked = {name: "ok" if state.answers else "failed" for name, state in seen.items()}
    told: dict[str, object] = {"status": "ok" if well else "failed", "at": at.isoformat(), "checked": checked}
    return told, 200 if well else 503


def install(app: Flask) -> None:
    """Answer all three."""
    probes: dict[str, Callable[[], Answer]] = {
        "livez": lambda: _answer({"process": ServerState(True, ())}, services().clock()),
        "readyz": lambda: _answer(readiness(services().product), services().clock()),
        "healthz": _Looked(),
    }
    for name in permissions.PROBES:
        app.add_url_rule(f"/{name}", name, permissions.open_to_all(_view(probes[name])))


def _view(probe: Callable[[], Answer]) -> Callable[[], Answer]:
    def view() -> Answer:
        return probe()

    return view
