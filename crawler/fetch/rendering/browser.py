"""Which browser renders a site's pages, and what it is allowed to do."""

import importlib.util
import os
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

from crawler.crawl.job import CrawlJob, Render
from crawler.fetch.rendering import without_rights
from crawler.fetch.rendering.held_folder import HeldFolder
from store.errors import SetupError

NAMES = (
    "chromium-headless-shell",  # the same without its windows, for less of the processor
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"),
)
PAGES = 4  # that are open at a time, each a process of its own
SWITCHES = (
    "--disable-dev-shm-usage",  # containers give 64 MB there
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # what does not go through the proxy goes nowhere
    "--js-flags=--max-old-space-size=256",  # MB for the scripts of a page
    "--mute-audio",
    "--no-first-run",
)


def find_browser(given: str | None) -> str:
    """The browser's program: the one given, or a Chromium on PATH. SetupError says what is missing."""
    if importlib.util.find_spec("scrapy_playwright") is None:
        raise SetupError("crawls.no_renderer")
    found = shutil.which(given) if given else next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise SetupError("crawls.browser_missing", path=given) if given else SetupError("crawls.no_browser")
    return str(Path(found).resolve())


def started_by(browser: str) -> str:
    """The program that starts the browser: itself; for root, who could not lock its pages in, one that gives up all
    rights first.
    """
    if os.geteuid() != 0:
        return browser
    starter = _folder().path / "browser"
    command = [sys.executable, "-I", "-S", without_rights.__file__, browser]
    starter.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    starter.chmod(0o700)
    return str(starter)


@cache
def _folder() -> HeldFolder:
    """Ours until we end: Playwright takes a file for a browser, not a command."""
    return HeldFolder("wenhen-browser-")


def browser_settings(job: CrawlJob) -> dict[str, Any]:
    """Scrapy's settings for a job whose pages are rendered; none for others."""
    if job.render is Render.NEVER:
        return {}
    return {
        "PLAYWRIGHT_LAUNCH_OPTIONS": {
            "executable_path": started_by(find_browser(job.browser)),
            "chromium_sandbox": True,
            "args": list(SWITCHES),
            "timeout": 30_000,
            "handle_sigint": False,  # ending the crawl ends the browser, in order
            "handle_sigterm": False,
            "handle_sighup": False,
        },
        "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": min(job.concurrency, PAGES),
        "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": job.browser_seconds * 1000,
        "PLAYWRIGHT_PROCESS_REQUEST_HEADERS": None,
    }
