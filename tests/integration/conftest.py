"""The product on real servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.way import opened
from wenhen.embedded import Addresses
from wenhen.wiring import App


@pytest.fixture
def app(servers: Addresses, tmp_path: Path) -> Iterator[App]:
    """The product with the settings of an installation, and nothing in it."""
    with opened(servers, tmp_path) as product:
        yield product
