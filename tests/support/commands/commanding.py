"""The command in this process, on a database of a test's own on real servers."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from click.testing import CliRunner, Result

from tests.support.servers.databases import lent_database
from wenhen.cli.main import main
from wenhen.context.store_and_queue import Store
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.store import open_store

Run = Callable[..., Result]


@contextmanager
def command_on(servers: ServerAddresses, redis_url: str, data: Path) -> Iterator[tuple[Run, Store]]:
    """The command, and the store behind it, on a database of its own."""
    with lent_database(servers.mongo_url) as database, closing(open_store(servers.mongo_url, database)) as store:
        environment = {
            "WENHEN_MONGO_URL": servers.mongo_url,
            "WENHEN_MONGO_DATABASE": database,
            "WENHEN_REDIS_URL": redis_url,
            "WENHEN_INDEX_URL": redis_url,
            "WENHEN_DATA": str(data),
        }
        yield lambda *words: CliRunner(env=environment).invoke(main, words), store
