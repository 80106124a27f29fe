"""The product on real servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller

from tests.support.alerts import Mailbox
from tests.support.commands.forked import nursery  # noqa: F401  a fixture
from tests.support.seed import Seeder
from tests.support.way import capture, made_page, made_text, opened, store_work, work_through
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    """The product with the settings of an installation, and nothing in it."""
    with opened(servers, tmp_path) as product:
        yield product


@pytest.fixture
def copied(app: App) -> App:
    """With a work, and a page that copies it, both done."""
    river = made_text("river")
    store_work(app, "river", river)
    capture(app, "http://site.test/a", made_page("转载", river))
    work_through(app)
    return app


@pytest.fixture
def seed(product: App) -> Seeder:
    return Seeder(product.store)


@pytest.fixture
def mailbox(free_tcp_port: int) -> Iterator[Mailbox]:
    box = Mailbox(port=free_tcp_port)
    server = Controller(box, hostname="127.0.0.1", port=free_tcp_port)
    server.start()
    yield box
    server.stop()
