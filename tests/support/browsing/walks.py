"""Browser windows over a filled store in which nothing may go wrong, for the tests that change what it holds."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext

EXPECTED = re.compile(r"status of (404 \(NOT FOUND\)|400 \(BAD REQUEST\))$")

Opener = Callable[..., BrowserContext]


@contextmanager
def windows_over(browser: Browser, address: str) -> Iterator[Opener]:
    """Windows that allow no error, no violation, no request to anybody else."""
    contexts: list[BrowserContext] = []
    wrongs: list[str] = []

    def open_one(**options: Any) -> BrowserContext:
        context = browser.new_context(base_url=address, timezone_id="Europe/Lisbon", **{"locale": "zh-CN", **options})
        context.set_default_timeout(120_000)  # milliseconds; only a test that fails waits so long
        context.add_init_script(
            "document.addEventListener('securitypolicyviolation',"
            " event => console.error('CSP', event.violatedDirective, event.blockedURI))"
        )
        context.on("console", lambda m: wrongs.append(m.text) if m.type in {"error", "warning"} else None)
        context.on("weberror", lambda e: wrongs.append(str(e.error)))
        context.on("request", lambda r: None if r.url.startswith(address) else wrongs.append(r.url))
        contexts.append(context)
        return context

    yield open_one
    for context in contexts:
        context.close()
    # The browser notes an answer of 4xx as an error of its own; the walks ask for these on purpose.
    assert [wrong for wrong in wrongs if not EXPECTED.search(wrong)] == []
