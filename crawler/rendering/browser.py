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
    """A page to view in a browser.

    document: as captured. content_type: as its server sent it. internal: private addresses are allowed. host_map: as in
    `CrawlJob`.
    """

    url: str
    document: bytes
    content_type: str
    user_agent: str
    internal: bool = False
    host_map: Mapping[str, str] = field(default_factory=dict)


# A temporary folder that belongs to a living process. Folders of killed processes are removed.
#
# The owner has a lock on the folder itself. The system releases the lock of a dead process, whatever killed it.


class LockedFolder:
    """A private temporary folder with this prefix. It ends with the process, or with the last reference to it."""

    def __init__(self, prefix: str) -> None:
        _remove_abandoned_folders(prefix)
        self.path, held = _make_locked_folder(prefix)
        self._end = weakref.finalize(self, _remove_folder, self.path, held, os.getpid())


def _make_locked_folder(prefix: str) -> tuple[Path, int]:
    while True:  # another process may remove it before it is locked
        path = Path(tempfile.mkdtemp(prefix=prefix))
        if (held := _lock_folder(path)) is not None:
            return path, held


def _remove_abandoned_folders(prefix: str) -> None:
    for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        if (held := _lock_folder(path)) is not None:
            _remove_folder(path, held, os.getpid())


def _lock_folder(path: Path) -> int | None:
    """Lock a folder. Return None if it is locked, foreign or gone."""
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
    if os.getpid() == maker:  # a fork leaves it to its maker
        shutil.rmtree(path, ignore_errors=True)
    os.close(held)


BROWSER_NAMES = (
    "chromium-headless-shell",  # without windows, so it needs less processor time
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"),
)
MAX_OPEN_PAGES = 4  # pages, each a process of its own
BROWSER_SWITCHES = (
    "--disable-dev-shm-usage",  # containers provide 64 MB there
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # all traffic goes through the proxy
    "--js-flags=--max-old-space-size=256",  # MB of a page's scripts
    "--mute-audio",
    "--no-first-run",
)


def find_browser(path: str | None) -> str:
    """Return the browser's program: the given one, or a Chromium on PATH. Raise SetupError, which names what is
    missing.
    """
    if importlib.util.find_spec("scrapy_playwright") is None:
        raise SetupError("crawls.no_renderer")
    program = shutil.which(path) if path else next(filter(None, map(shutil.which, BROWSER_NAMES)), None)
    if program is None:
        raise SetupError("crawls.browser_missing", path=path) if path else SetupError("crawls.no_browser")
    return str(Path(program).resolve())


def browser_launcher(browser: str) -> str:
    """Return the program that starts the browser.

    Under root Chromium has no sandbox, so a launcher drops all privileges first.
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
    """Return the folder of the launcher, which lasts as long as this process. Playwright accepts a file, not a
    command.
    """
    return LockedFolder("wenhen-browser-")


def browser_settings(job: CrawlJob) -> dict[str, Any]:
    """Return Scrapy's settings for a job with rendering, or none."""
    if job.render is RenderMode.NEVER:
        return {}
    return {
        "PLAYWRIGHT_LAUNCH_OPTIONS": {
            "executable_path": browser_launcher(find_browser(job.browser)),
            "chromium_sandbox": True,
            "args": list(BROWSER_SWITCHES),
            "timeout": 30_000,
            "handle_sigint": False,  # the end of the crawl ends the browser
            "handle_sigterm": False,
            "handle_sighup": False,
        },
        "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": min(job.concurrency, MAX_OPEN_PAGES),
        "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": job.browser_seconds * 1000,
        "PLAYWRIGHT_PROCESS_REQUEST_HEADERS": None,
    }
