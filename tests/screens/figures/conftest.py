"""The dashboard over a varied store, read without a browser."""

from collections.abc import Iterator

import pytest

from tests.support.desk import Desk, desk_over
from wenhen.runtime.embedded.servers import ServerAddresses


@pytest.fixture(scope="module")
def desk(servers: ServerAddresses) -> Iterator[Desk]:
    """Looked at and not changed by the tests of a file."""
    with desk_over(servers) as opened:
        yield opened
