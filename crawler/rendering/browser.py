"""Find the browser and configure what it may do. Lock its temporary folder."""

import fcntl
import importlib.util
import os
import shlex
import shutil
import sys
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from crawler.job import CrawlJob, RenderMode
from crawler.rendering import drop_privileges
from wenhen.kit.errors import SetupError


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentToRender:
    """A page that is looked at. document: as captured; content_type: as its server told it. internal: it may lie in a
    private network; host_map: as in `CrawlJob`.
    """

    url: str
    document: bytes
    content_type: str
    user_agent: str
    internal: bool = False
    host_map: Mapping[str, str] = field(default_factory=dict)


# A temporary folder that a process holds while it lives; those of processes that were killed are removed.
#
# Held is who has a lock on the folder itself: the system takes that from a dead process, whatever killed it.


class LockedFolder:
    """A folder in the temporary folder whose name begins with this prefix, private to its owner, until the process
    ends or nothing refers to it.
    """

    def __init__(self, prefix: str) -> None:
        _remove_abandoned_folders(prefix)
        self.path, held = _make_locked_folder(prefix)
        self._end = weakref.finalize(self, _remove_folder, self.path, held, os.getpid())


def _make_locked_folder(prefix: str) -> tuple[Path, int]:
    while True:  # who removes what was abandoned may come between making and holding
        path = Path(tempfile.mkdtemp(prefix=prefix))
        if (held := _lock_folder(path)) is not None:
            return path, held


def _remove_abandoned_folders(prefix: str) -> None:
    for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        if (held := _lock_folder(path)) is not None:
            _remove_folder(path, held, os.getpid())


def _lock_folder(path: Path) -> int | None:
    """Lock a folder; None where another has it, it is not ours, or is there no more."""
    try:
        held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(held).st_uid == os.geteuid() and os.path.samestat(os.fstat(held), path.stat()):
            return held
    except OSError:
        pass
    os.close(held)
    return None


def _remove_folder(path: Path, held: int, maker: int) -> None:
    if os.getpid() == maker:  # a fork leaves it to who made it
        shutil.rmtree(path, ignore_errors=True)
    os.close(held)


BROWSER_NAMES = (
    "chromium-headless-shell",  # the same without its windows, for less of the processor
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"),
)
MAX_OPEN_PAGES = 4  # that are open at a time, each a process of its own
BROWSER_SWITCHES = (
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
    found = shutil.which(given) if given else next(filter(None, map(shutil.which, BROWSER_NAMES)), None)
    if found is None:
        raise SetupError("crawls.browser_missing", path=given) if given else SetupError("crawls.no_browser")
    return str(Path(found).resolve())


def browser_launcher(browser: str) -> str:
    """The program that starts the browser: itself; for root, who could not lock its pages in, one that gives up all
    rights first.
    """
    if os.geteuid() != 0:
        return browser
    starter = _launcher_folder().path / "browser"
    command = [sys.executable, "-I", "-S", drop_privileges.__file__, browser]
    starter.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    starter.chmod(0o700)
    return str(starter)


@cache
def _launcher_folder() -> LockedFolder:
    """Ours until we end: Playwright takes a file for a browser, not a command."""
    return LockedFolder("wenhen-browser-")


def browser_settings(job: CrawlJob) -> dict[str, Any]:
    """Scrapy's settings for a job whose pages are rendered; none for others."""
    if job.render is RenderMode.NEVER:
        return {}
    return {
        "PLAYWRIGHT_LAUNCH_OPTIONS": {
            "executable_path": browser_launcher(find_browser(job.browser)),
            "chromium_sandbox": True,
            "args": list(BROWSER_SWITCHES),
            "timeout": 30_000,
            "handle_sigint": False,  # ending the crawl ends the browser, in order
            "handle_sigterm": False,
            "handle_sighup": False,
        },
        "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": min(job.concurrency, MAX_OPEN_PAGES),
        "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": job.browser_seconds * 1000,
        "PLAYWRIGHT_PROCESS_REQUEST_HEADERS": None,
    }
