"""The store under contract: the real one on a real server, with a clock that the test turns."""

from collections.abc import Iterator

import pytest

from tests.support.samples import TurnedClock
from wenhen.context.store_and_queue import Store
from wenhen.runtime.store import open_store


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def store(mongo_url_and_db: tuple[str, str], clock: TurnedClock) -> Iterator[Store]:
    url, database = mongo_url_and_db
    opened = open_store(url, database, clock=clock)
    yield opened
    opened.close()
