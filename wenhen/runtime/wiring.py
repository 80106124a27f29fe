"""Connect the product to its servers, its secret key and its child processes."""

import json
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from crawler.site_access import mask_url_password
from matcher.phrases.phrase_index import SqlitePhraseIndex
from wenhen.context.store_and_queue import Store
from wenhen.context.use_cases import Product, SiteSurvey, TrialCrawl
from wenhen.crawls.model import RegionalCapture, Run
from wenhen.kit.errors import BadInput, Message, SetupError, Unavailable
from wenhen.kit.python_process import python_command
from wenhen.kit.sealed_secrets import Seal
from wenhen.runtime.celery_queue import CeleryQueue
from wenhen.runtime.embedded.servers import start_servers, throwaway_servers
from wenhen.runtime.live_settings import StoredValues, live_settings, present_settings
from wenhen.runtime.settings_sources import Settings, child_environment, load_settings, settings_environment
from wenhen.runtime.store import open_store
from wenhen.settings.servers_and_logs import import_redis, with_database

if TYPE_CHECKING:
    import redis
    from redis.cluster import RedisCluster

    from crawler.frontier.redis import RedisFrontier
    from crawler.politeness.rate import RedisRateLimiter
    from matcher.index.protocol import Index
    from wenhen.fingerprints.letter_file import LetterFile

# The secret key of the installation signs cookies and encrypts secrets. It is stored apart from the database.


SECRET_KEY_FILE: Final = "secret.key"  # noqa: S105  in the data folder
SECRET_KEY_VARIABLE: Final = "WENHEN_DASHBOARD_SECRET_KEY"  # noqa: S105
SECRET_KEY_MARK: Final = "dashboard:secret_key"  # noqa: S105  earlier releases stored it in the database


def installation_seal(settings: Settings, store: Store) -> Seal:
    """Return the seal with the keys of this installation."""
    return Seal(lambda: read_secret_keys(settings, store))


def read_secret_keys(settings: Settings, store: Store) -> Sequence[str]:
    """Return the current key, and former keys that still decrypt.

    The keys come from the settings. Without a key there, it is in a file in the data folder, which the first call
    makes. Raises `SetupError` if the file cannot be read or made.
    """
    given, former = settings.dashboard.secret_key, settings.dashboard.former_keys
    before = former.get_secret_value().split() if former else []
    if given:
        return given.get_secret_value(), *before, *_database_keys(store)
    file = settings.data / SECRET_KEY_FILE
    try:
        key = _read_key_file(file) or _make_key_file(file, next(iter(_database_keys(store)), secrets.token_hex(32)))
    except OSError as error:
        raise SetupError("server.no_key", file=file, error=error.strerror) from error
    return key, *before


def backup_environment(settings: Settings, store: Store) -> dict[str, str]:
    """Return all settings as variables, with the secret key, as a backup holds them."""
    return settings_environment(settings) | {SECRET_KEY_VARIABLE: read_secret_keys(settings, store)[0]}


def restore_secret_key(settings: Settings, key: str) -> None:
    """Store the key of another installation after its records were restored here. An existing key stays."""
    if settings.dashboard.secret_key is None and not _read_key_file(settings.data / SECRET_KEY_FILE):
        _make_key_file(settings.data / SECRET_KEY_FILE, key)


def remove_key_from_database(settings: Settings, store: Store) -> None:
    """Remove the key that an earlier release stored in the database.

    All secrets must be encrypted under another key before, or under the same key in a file.
    """
    if _database_keys(store):
        read_secret_keys(settings, store)  # moves it to a file if there is no other
        store.marks.set(SECRET_KEY_MARK, {})


def _database_keys(store: Store) -> list[str]:
    key = (store.marks.get(SECRET_KEY_MARK) or {}).get("key")
    return [str(key)] if key else []


def _read_key_file(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""


def _make_key_file(file: Path, key: str) -> str:
    """Write the key file atomically and privately. If another process was faster, return its key."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f".{SECRET_KEY_FILE}-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as written:
            written.write(key)
            written.flush()
            os.fsync(written.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            return _read_key_file(file)
    finally:
        draft.unlink(missing_ok=True)
    return key


# Surveys, trial crawls and captures from regions run in a process of their own: a Twisted reactor cannot be restarted.


MAX_SURVEY_SECONDS = 120  # seconds


def survey_in_child(settings: Settings, url: str, internal: bool) -> SiteSurvey:
    """Survey an address: robots.txt, sitemaps and feeds, by the rules of the crawler.

    Raises `BadInput`, `Unavailable`.
    """
    child = _run_child(settings, url, {"url": url, "internal": internal})
    return SiteSurvey(**child | {"problem": child["problem"] and Message.read(child["problem"])})


def try_crawl_in_child(settings: Settings, site_id: str) -> TrialCrawl:
    """Crawl a few pages of a site without storing them. Raises `BadInput`, `Unavailable`."""
    child = _run_child(settings, site_id, {"site": site_id})
    return TrialCrawl(**child | {"missed": [(url, Message.read(why)) for url, why in child["missed"]]})


def fetch_region_in_child(settings: Settings, asked: RegionalCapture) -> None:
    """Fetch a page from a region, and store its answer. Raises `BadInput`, `Unavailable`."""
    try:
        _run_child(settings, asked.url, {"regional": asked.id})
    except Unavailable as error:
        raise Unavailable("regions.too_long", url=asked.url, seconds=MAX_SURVEY_SECONDS) from error
    except BadInput as error:
        raise BadInput("regions.broke", url=asked.url, error=error.message.figures["error"]) from error


def _run_child(settings: Settings, url: str, request: Mapping[str, Any]) -> dict[str, Any]:
    try:
        done = subprocess.run(
            python_command("wenhen.runtime.processes.survey_process"),
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=MAX_SURVEY_SECONDS,
            check=False,
            env=dict(child_environment(present_settings(settings))),
        )
    except subprocess.TimeoutExpired:
        raise Unavailable("sites.survey_too_long", url=url, seconds=MAX_SURVEY_SECONDS) from None
    if done.returncode:
        *_, error = done.stderr.strip().splitlines() or ["no reason told"]
        raise BadInput("sites.survey_failed", url=url, error=error)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


INDEX_DATABASE_NUMBER = 1
PHRASE_INDEX_PATH = Path("phrases") / "index.sqlite"  # in the data folder
INDEX_TIMEOUT_SECONDS = 30  # seconds
QUEUE_TIMEOUT_SECONDS = 10
IndexClientFactory = Callable[[], "redis.Redis | RedisCluster"]


@dataclass(frozen=True, slots=True, kw_only=True)
class App(Product):
    """The opened product, with all of its settings."""

    settings: Settings
    queue: CeleryQueue  # workers also take tasks from it


def start_missing_servers(settings: Settings) -> Settings:
    """Start embedded servers where no address is given. Return the settings with all addresses."""
    mongo_url, redis_url = settings.mongo.url, settings.redis.url
    if mongo_url is None or redis_url is None:
        addresses = start_servers(
            settings.data, mongo=mongo_url is None, redis=redis_url is None, oplog=settings.mongo.oplog
        )
        mongo_url, redis_url = mongo_url or addresses.mongo_url, redis_url or addresses.redis_url
    index_url = settings.index.url or with_database(redis_url, INDEX_DATABASE_NUMBER)
    return settings.model_copy(
        update={
            "mongo": settings.mongo.model_copy(update={"url": mongo_url}),
            "redis": settings.redis.model_copy(update={"url": redis_url}),
            "index": settings.index.model_copy(update={"url": index_url}),
        }
    )


def open_app(settings: Settings) -> App:
    """Open the product. Embedded servers are started, and missing collections created."""
    # An external MongoDB is opened first: if it is missing, no embedded server is started for nothing.
    store = _open_prepared_store(settings) if settings.mongo.url else None
    settings = start_missing_servers(settings)
    return build_app(settings, store or _open_prepared_store(settings), partial(open_index_client, settings))


def _open_prepared_store(settings: Settings) -> Store:
    assert settings.mongo.url
    store = open_store(settings.mongo.url, settings.mongo.database)
    store.prepare()
    return store


def build_app(settings: Settings, store: Store, index: IndexClientFactory) -> App:
    """Build the product on running servers, at the addresses in the settings."""
    redis_url = settings.redis.url
    assert redis_url
    index = cache(index)  # one client for all indexes
    seal = installation_seal(settings, store)
    stored = StoredValues(store, seal)
    settings = live_settings(settings, stored)
    return App(
        settings=settings,
        store=store,
        works_index=_lazy_index(index, "works"),
        pages_index=_lazy_index(index, "pages"),
        rare_words=_lazy_index(index, "rare-words", words=True),
        work_letters=_lazy_letters(settings.data, store),
        phrases=SqlitePhraseIndex(settings.data / PHRASE_INDEX_PATH),
        queue=CeleryQueue(redis_url),
        frontier=lambda run, crawler: open_frontier(settings, run, crawler=crawler),
        survey=partial(survey_in_child, settings),
        try_out=partial(try_crawl_in_child, settings),
        seal=seal,
        setting_sources=stored,
    )


class _LazyObject:
    """A proxy for an object that is made on first use."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make

    @cached_property
    def _object(self) -> object:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._object, name)


def _lazy_index(client: IndexClientFactory, name: str, *, words: bool = False) -> "Index":
    def make() -> "Index":
        opened = client()
        # It imports numba, which takes half as long as all other imports. Simple commands do without it.
        from matcher.index.postings import HOT_POSTINGS, HOT_WORD_POSTINGS
        from matcher.index.redis_index import RedisIndex

        return RedisIndex(opened, name, hot=HOT_WORD_POSTINGS if words else HOT_POSTINGS)

    return cast("Index", _LazyObject(make))


def _lazy_letters(data: Path, store: Store) -> "LetterFile":
    def make() -> "LetterFile":
        # It needs numpy, which a command that looks nothing up can do without.
        from wenhen.fingerprints.letter_file import LETTERS_FOLDER, LetterFile, name_library

        return LetterFile(data / LETTERS_FOLDER, partial(name_library, store.marks))

    return cast("LetterFile", _LazyObject(make))


def open_index_client(settings: Settings) -> "redis.Redis | RedisCluster":
    """Return a client of the Redis of the index, one server or a cluster."""
    import_redis()
    import redis

    assert settings.index.url
    if settings.index.cluster:
        from redis.cluster import RedisCluster
        from redis.exceptions import RedisClusterException

        try:
            return RedisCluster.from_url(settings.index.url, socket_timeout=INDEX_TIMEOUT_SECONDS)
        except RedisClusterException as error:
            where = mask_url_password(settings.index.url)
            raise Unavailable("server.cluster_silent", where=where) from error
    return redis.Redis.from_url(settings.index.url, socket_timeout=INDEX_TIMEOUT_SECONDS)


def open_frontier(settings: Settings, run: Run, most_pages: int = 1, *, crawler: str | None = None) -> "RedisFrontier":
    """Return the frontier of a run for a crawler of this name, in the Redis of the queues.

    The counts of earlier crawlers come from the record of the run.
    """
    client = _open_queue_redis(settings)
    from crawler.frontier.redis import RedisFrontier

    before = {name: count for name, count in run.counts.items() if name != "waiting"}
    lease = settings.worker.lease_seconds
    return RedisFrontier(client, run.id, most_pages, counts=before, lease=lease, name=crawler)


def open_pace(settings: Settings) -> "RedisRateLimiter":
    """Return the rate limiter that all crawlers share, in the same Redis."""
    client = _open_queue_redis(settings)
    from crawler.politeness.rate import RedisRateLimiter

    return RedisRateLimiter(client)


def _open_queue_redis(settings: Settings) -> "redis.Redis":
    import_redis()
    from redis import Redis

    assert settings.redis.url
    return Redis.from_url(settings.redis.url, socket_timeout=QUEUE_TIMEOUT_SECONDS)


@cache
def worker_app() -> App:
    """Return the product of a worker process. It is opened at the first task, after the pool has forked."""
    return open_app(load_settings())


# The product on temporary servers, for measurements without effect on real data.


@contextmanager
def throwaway_app(settings: Settings) -> Iterator[App]:
    """Open an empty product with these settings for the block."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="wenhen-throwaway-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        addresses = stack.enter_context(throwaway_servers())
        app = open_app(
            settings.model_copy(
                update={
                    "data": folder,
                    "mongo": settings.mongo.model_copy(update={"url": addresses.mongo_url}),
                    "redis": settings.redis.model_copy(update={"url": addresses.redis_url}),
                    "index": settings.index.model_copy(update={"url": None, "cluster": False}),
                }
            )
        )
        stack.callback(app.store.close)
        yield app
