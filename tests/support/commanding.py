"""The command in this process, on a database of a test's own on real servers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pymongo
from click.testing import CliRunner, Result

from store.mongo import open_store
from store.ports import Store
from wenhen.cli.main import main
from wenhen.embedded import Addresses

Run = Callable[..., Result]


@contextmanager
def command_on(servers: Addresses, redis_url: str, data: Path) -> Iterator[tuple[Run, Store]]:
    """The command, and the store behind it; the database is dropped afterwards."""
    database = f"commanded_{uuid4().hex[:12]}"
    environment = {
        "WENHEN_MONGO_URL": servers.mongo_url,
        "WENHEN_MONGO_DATABASE": database,
        "WENHEN_REDIS_URL": redis_url,
        "WENHEN_INDEX_URL": redis_url,
        "WENHEN_DATA": str(data),
    }
    store = open_store(servers.mongo_url, database)
    store.prepare()
    yield lambda *words: CliRunner(env=environment).invoke(main, words), store
    store.close()
    with pymongo.MongoClient[dict[str, object]](servers.mongo_url) as client:
        client.drop_database(database)
