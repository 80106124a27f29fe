"""The browser that the tests look at the dashboard with."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from crawler.rendering.browser import find_browser
from tests.support.browsing.walks import Opener, windows_over
from tests.support.commands.forked import nursery  # noqa: F401  a fixture
from tests.support.seed import Seeder, long_case, product_over
from tests.support.servers.served import dashboard_over
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import SetupError
from wenhen.runtime.wiring import App

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Beside other tests no core is free for threads that compile and collect ahead: to hand over to them costs more.
    "--js-flags=--single-threaded",
]


# What a page comes to show takes its time on a busy machine; only a test that fails waits so long.
expect.set_options(timeout=60_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real one; without it a test skips at a desk and fails in CI."""
    try:
        program = find_browser(None)
    except SetupError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def product(store: Store, redis_url: str) -> Iterator[App]:
    """The product behind a dashboard."""
    with product_over(store, redis_url) as app:
        yield app


@pytest.fixture
def address(store: Store, product: App) -> Iterator[str]:
    """Where the dashboard over a filled store is served."""
    seed = Seeder(store)
    seed.library()
    long_case(seed)
    with dashboard_over(product) as address:
        yield address


@pytest.fixture
def open_browser(browser: Browser, address: str) -> Iterator[Opener]:
    """Browser windows in which nothing may go wrong."""
    with windows_over(browser, address) as opener:
        yield opener
