"""Dashboards that tests use one after the other: making one takes as long as many a test."""

from collections import defaultdict
from typing import Any

from flask import Flask

from dashboard.app import create_app
from dashboard.frame.context import EXTENSION_KEY, Services
from dashboard.frame.security import limiter
from tests.support.templates import with_compiled_templates
from wenhen.operations.health import HealthCheck
from wenhen.runtime.wiring import App


class SharedApps:
    """Those that are free, by what they were made with; `taken` are given back at the end of a test."""

    def __init__(self) -> None:
        self._free: defaultdict[tuple[tuple[str, Any], ...], list[Flask]] = defaultdict(list)
        self._taken: list[tuple[tuple[tuple[str, Any], ...], Flask]] = []

    def take(self, product: App, health: HealthCheck, **made_with: Any) -> Flask:
        """The dashboard over this product, which has answered nothing and counted nobody yet.

        made_with: of `create_app`'s arguments those that stay with an app.
        """
        kind = tuple(sorted(made_with.items()))
        app = self._free[kind].pop() if self._free[kind] else made(product, health, **made_with)
        app.extensions[EXTENSION_KEY] = Services(product=product, health=health)
        limiter.reset()
        self._taken.append((kind, app))
        return app

    def give_back(self) -> None:
        """All that were taken."""
        while self._taken:
            kind, app = self._taken.pop()
            self._free[kind].append(app)


def made(product: App, health: HealthCheck, **options: Any) -> Flask:
    """A dashboard of a test's own, which it may change."""
    return with_compiled_templates(create_app(product, secret_key="only for tests", health=health, **options))
