"""Real servers for the tests: given ones, or throw-away ones of our own (a pair for each pytest-xdist worker)."""

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pymongo
import pytest
import redis
from hypothesis import HealthCheck, settings

from tests.support.commands.imported_once import start
from tests.support.commands.launching import launch_from
from tests.support.quick_hashes import quick_hashes  # noqa: F401  a fixture
from tests.support.servers.compiled_routes import compiled_routes  # noqa: F401  a fixture
from tests.support.servers.databases import drop_databases, lent_database, store_on
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import SetupError
from wenhen.runtime.embedded.servers import ServerAddresses, throwaway_servers

if TYPE_CHECKING:
    from wenhen.runtime.wiring import App

# How long an example takes is the machine's business: tests assert no speed. Fifty examples for each law, new ones in
# every run.
settings.register_profile("untimed", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

REDIS_DATABASE = 9
MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30  # bytes; what two workers keep there at a time is a good deal less
SERVER_FIXTURES = {"servers", "mongo_url_and_db", "bare_url_and_db", "redis_url", "store"}


def pytest_configure() -> None:
    """Let servers, browsers and tests keep their files in memory: they sync each write, which a disk takes long for.
    And let workers give way to nobody: tests wait for them. What is imported until all tests are collected stays.
    """
    gc.disable()
    os.environ.setdefault("WENHEN_WORKER_NICENESS", "0")
    if "TMPDIR" not in os.environ and _has_room(MEMORY):
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def _has_room(folder: Path) -> bool:
    if not folder.is_dir() or shutil.disk_usage(folder).free < ROOM:
        return False
    return not os.statvfs(folder).f_flag & os.ST_NOEXEC  # tests write programs there, and run them


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Let the processes of pytest-xdist be forked from one that has imported the tests."""
    launch_from(cache(partial(start, config)))


def pytest_collection(session: pytest.Session) -> None:
    """Before all tests are collected, import Scrapy's client from a thread that has little below it.

    As it is imported it looks up the source of every frame of the stack, three times; that of pytest is deep.
    """
    if "tests" in session.config.args:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(import_module, "scrapy.core.downloader.contextfactory").result()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that ask for a server carry the marker that says so."""
    for item in items:
        if SERVER_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker("server")


def pytest_collection_finish() -> None:
    """Look through the heap less often: what is there by now is never garbage, and each test that makes a dashboard
    leaves enough behind for a look at everything.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def servers() -> Iterator[ServerAddresses]:
    """Where real servers answer; append ``?db=N`` to redis_url."""
    mongo_url = os.environ.get("WENHEN_TEST_MONGO_URL", "")
    redis_url = os.environ.get("WENHEN_TEST_REDIS_URL", "")
    with ExitStack() as stack:
        try:
            own = stack.enter_context(throwaway_servers(mongo=not mongo_url, redis=not redis_url))
        except SetupError as error:
            if os.environ.get("CI"):
                pytest.fail(f"no servers to test on: {error}")
            pytest.skip(f"no servers to test on: {error}")
        if not mongo_url:
            _keep_what_is_over(own.mongo_url)
        yield ServerAddresses(mongo_url=mongo_url or own.mongo_url, redis_url=redis_url or own.redis_url)
        drop_databases(mongo_url or own.mongo_url)


def _keep_what_is_over(mongo_url: str) -> None:
    """Let mongod forget nothing by its own clock: those of the tests stand in the past, where all sessions are over.

    A server that was given is left as it is.
    """
    with pymongo.MongoClient[dict[str, object]](mongo_url) as client:
        client.admin.command("setParameter", 1, ttlMonitorEnabled=False)


@pytest.fixture
def mongo_url_and_db(servers: ServerAddresses) -> Iterator[tuple[str, str]]:
    """The address of MongoDB and the name of a prepared, empty database, this test's own as long as it runs."""
    with lent_database(servers.mongo_url) as database:
        yield servers.mongo_url, database


@pytest.fixture
def bare_url_and_db(servers: ServerAddresses) -> Iterator[tuple[str, str]]:
    """The address of MongoDB and the name of a database in which nothing is, dropped afterwards."""
    database = f"wenhen_test_{uuid4().hex}"
    yield servers.mongo_url, database
    with pymongo.MongoClient[dict[str, object]](servers.mongo_url) as client:
        client.drop_database(database)


@pytest.fixture
def redis_url(servers: ServerAddresses) -> str:
    """The address of a Redis database that is empty."""
    url = f"{servers.redis_url}?db={REDIS_DATABASE}"
    with redis.Redis.from_url(url) as client:
        client.flushdb()
    return url


@pytest.fixture
def store(mongo_url_and_db: tuple[str, str]) -> Store:
    """The production store on an empty database."""
    return store_on(*mongo_url_and_db)


@pytest.fixture
def product(store: Store, redis_url: str) -> Iterator["App"]:
    """The product over the store of this test, its indexes empty."""
    from tests.support.seed import product_over

    with product_over(store, redis_url) as app:
        yield app
