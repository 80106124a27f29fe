"""Find faults of the machine, the settings, the servers and the work, each with its remedy."""

import importlib.util
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import redis
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError

import fingerprinter
from crawler.site_access import mask_url_password
from wenhen.crawls.model import RunKind
from wenhen.kit.errors import Message, WenhenError, message
from wenhen.kit.progress import Step
from wenhen.kit.web import LOOPBACK_HOSTS
from wenhen.operations.health import ServerState, read_backlog
from wenhen.runtime.embedded.servers import ServerInfo
from wenhen.runtime.settings_sources import FILE_SUFFIX, Settings
from wenhen.runtime.store import open_store
from wenhen.settings import Section
from wenhen.settings.servers_and_logs import with_database
from wenhen.steps.duties import scheduler_duties

if TYPE_CHECKING:
    from wenhen.runtime.wiring import App


class Fault(NamedTuple):
    """A fault and its remedy in one message. stops: the product cannot work with it."""

    said: Message
    stops: bool


def blocking_fault(code: str, /, **figures: object) -> Fault:
    """Make a fault with which the product cannot work."""
    return Fault(message(code, **figures), True)


def advisory_fault(code: str, /, **figures: object) -> Fault:
    """Make a fault with which the product works, but worse than it could."""
    return Fault(message(code, **figures), False)


def collect_faults(*looks: Iterable[Fault]) -> list[Fault]:
    """Return all faults in order."""
    return [fault for look in looks for fault in look]


MIN_OPEN_FILES = 1024
# Environment variables that are no settings: see docs/settings.md.
OTHER_VARIABLES = {
    "WENHEN_CONFIG",
    "WENHEN_DATA",
    "WENHEN_MONGOD",
    "WENHEN_REDIS_SERVER",
    "WENHEN_BROKER_URL",
    "WENHEN_BEAT",
}
IMAGE_VARIABLES = {"WENHEN_WARMED", "WENHEN_FIGURES_OF"}
_TEST_PREFIX = "WENHEN_TEST_"
_X86_64_V3_FLAGS = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}  # flags of x86-64-v3 in /proc/cpuinfo


def machine_faults(settings: Settings, environment: Mapping[str, str] = os.environ) -> list[Fault]:
    """Return all faults of the machine."""
    return collect_faults(
        find_unknown_variables(environment),
        find_unwritable_data(settings),
        find_unkept_code(environment),
        find_old_processor(environment),
        find_few_files(),
        find_settings_faults(settings),
    )


def find_unknown_variables(environment: Mapping[str, str]) -> Iterator[Fault]:
    """Report variables that look like settings but are unknown, and therefore ignored."""
    known = (
        OTHER_VARIABLES
        | IMAGE_VARIABLES
        | {
            f"WENHEN_{section}_{name}".upper()
            for section, field in Settings.model_fields.items()
            if isinstance(field.annotation, type) and issubclass(field.annotation, Section)
            for name in field.annotation.model_fields
        }
    )
    unknown = [
        name
        for name in environment
        if name.startswith("WENHEN_")
        and not name.startswith(_TEST_PREFIX)
        and name.removesuffix(FILE_SUFFIX.upper()) not in known
    ]
    if unknown:
        yield advisory_fault("doctor.unknown_variable", names=", ".join(sorted(unknown)))


def find_unwritable_data(settings: Settings) -> Iterator[Fault]:
    """Report a data folder, or its nearest existing parent, that is not writable."""
    existing = next(folder for folder in (settings.data, *settings.data.parents) if folder.exists())
    if settings.needs_embedded_servers and not (os.access(existing, os.W_OK | os.X_OK) and _can_make_files(existing)):
        yield blocking_fault("doctor.data_not_writable", folder=settings.data)


def find_unkept_code(environment: Mapping[str, str]) -> Iterator[Fault]:
    """Report that numba has no writable cache folder: without one, the fingerprinter cannot be imported."""
    beside = Path(fingerprinter.__file__).parent / "features" / "__pycache__"
    of_user = Path(environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME", "/")) / ".cache")
    given = environment.get("NUMBA_CACHE_DIR")
    if not any(_is_writable(Path(folder)) for folder in (given, beside, of_user) if folder):
        yield blocking_fault("doctor.code_not_kept", folder=given or beside)


def find_old_processor(environment: Mapping[str, str], cpuinfo: Path = Path("/proc/cpuinfo")) -> Iterator[Fault]:
    """Report a processor without the instructions that the compiled code of the image needs."""
    if environment.get("NUMBA_CPU_NAME") != "x86-64-v3" or not cpuinfo.exists():
        return
    flags = next((line for line in cpuinfo.read_text(encoding="utf-8").splitlines() if line.startswith("flags")), "")
    if lacking := sorted(_X86_64_V3_FLAGS.difference(flags.split())):
        yield blocking_fault("doctor.old_processor", flags=", ".join(lacking))


def find_few_files() -> Iterator[Fault]:
    """Report a low limit of open files: the crawler and MongoDB need many."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < MIN_OPEN_FILES:
        yield advisory_fault("doctor.few_files", limit=soft, least=MIN_OPEN_FILES)


def find_settings_faults(settings: Settings) -> Iterator[Fault]:
    """Report missing or risky settings."""
    if not settings.crawler.contact:
        yield advisory_fault("doctor.no_contact")
    open_to_others = settings.dashboard.host not in LOOPBACK_HOSTS
    if open_to_others and settings.dashboard.secret_key is None:
        yield advisory_fault("doctor.no_secret_key")
    if open_to_others and not settings.dashboard.proxies:
        yield advisory_fault("doctor.no_proxy", host=settings.dashboard.host)
    if settings.tracing.endpoint and importlib.util.find_spec("opentelemetry") is None:
        yield blocking_fault("doctor.no_tracing")
    if settings.crawler.render_empty or settings.crawler.browser:
        from crawler.rendering.browser import find_browser
        from wenhen.kit.errors import SetupError

        try:
            find_browser(settings.crawler.browser)
        except SetupError as error:
            yield advisory_fault("doctor.no_browser", reason=error.message)


def _can_make_files(folder: Path) -> bool:
    """Return whether a file can be created. On some file systems the permissions do not tell. The file is removed."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _is_writable(folder: Path) -> bool:
    existing = next((parent for parent in (folder, *folder.parents) if parent.exists()), Path("/"))
    if existing != folder and sys.prefix.startswith(str(existing)) and existing == Path("/"):
        return False
    return os.access(existing, os.W_OK | os.X_OK)


MIN_MONGO_VERSION = (6, 0)
MAX_CLOCK_SKEW_SECONDS = 30.0  # seconds between the clock of a server and ours
_TIMEOUT_SECONDS = 5


def find_dead_servers(servers: Mapping[str, ServerInfo]) -> Iterator[Fault]:
    """Report embedded servers that died."""
    for info in servers.values():
        if info.died:
            yield blocking_fault("doctor.server_died", server=info.name, log=info.log)


def find_mongo_faults(settings: Settings) -> Iterator[Fault]:
    """Report faults of the configured MongoDB."""
    assert settings.mongo.url
    try:
        with closing(open_store(settings.mongo.url, settings.mongo.database)) as store:
            version = store.ping()
    except WenhenError as error:
        yield Fault(error.message, True)
        return
    if tuple(int(part) for part in version.split(".")[:2]) < MIN_MONGO_VERSION:
        yield blocking_fault("doctor.old_mongo", version=version)


def find_redis_faults(settings: Settings) -> Iterator[Fault]:
    """Report faults of the Redis of the queues, and of the index if it has another."""
    assert settings.redis.url
    index = settings.index.url or with_database(settings.redis.url, 1)
    for what, url in {"redis": settings.redis.url, "index": index}.items():
        if what == "index" and settings.index.cluster:
            continue  # the index itself reports its nodes
        try:
            with closing(
                redis.Redis.from_url(url, socket_timeout=_TIMEOUT_SECONDS, socket_connect_timeout=_TIMEOUT_SECONDS)
            ) as client:
                yield from _redis_server_faults(what, client)
        except (AuthenticationError, NoPermissionError) as error:
            yield blocking_fault("doctor.redis_login", what=what.upper(), address=mask_url_password(url), error=error)
        except (RedisError, OSError) as error:
            yield blocking_fault("doctor.redis_silent", what=what.upper(), address=mask_url_password(url), error=error)


def _redis_server_faults(what: str, client: redis.Redis) -> Iterator[Fault]:
    seconds, _ = client.time()
    if (skew := abs(time.time() - seconds)) > MAX_CLOCK_SKEW_SECONDS:
        yield blocking_fault("doctor.clock_skew", what=what, seconds=f"{skew:.0f}")
    about: dict[str, Any] = client.info()
    policy = about.get("maxmemory_policy", "noeviction")
    if about.get("maxmemory") and policy != "noeviction":
        yield blocking_fault("doctor.redis_evicts", what=what, policy=policy)
    if not about.get("aof_enabled"):
        yield advisory_fault("doctor.redis_not_kept", what=what)
    if most := about.get("maxmemory"):
        used = about["used_memory"] / most
        if used > 0.9:
            yield advisory_fault("doctor.redis_full", what=what, share=f"{used:.0%}")


# Faults of the work: no workers, a stopped schedule, a backlog, or records that were set aside.


LONG_WAIT = timedelta(minutes=30)  # wait of a due record or task that is reported
WORKER_PARTS = ("workers", "clock")  # not needed with embedded servers until `wenhen up`
DISK_PARTS = ("database disk", "data disk", "archive disk")
DEFERRABLE_PARTS = ("daily duties", "backup", "mailbox", "webhooks", "plug-ins")  # the product works without them
SERVER_PARTS = ("MongoDB", "Redis")  # reported separately


def find_work_faults(app: "App", states: Mapping[str, ServerState], *, embedded: bool) -> Iterator[Fault]:
    """Return all faults of the work, given the results of the health check.

    embedded: workers only run during `wenhen up`. Raises `Unavailable` if a server stopped meanwhile.
    """
    idle = embedded and not any("@" in name for name in states)
    for name, state in states.items():
        if not (state.answers or name in SERVER_PARTS or (idle and name in WORKER_PARTS)):
            yield from _part_faults(name, state)
    if not idle:
        yield from _waiting_faults(app)
    yield from _failed_work_faults(app)


def _part_faults(name: str, state: ServerState) -> Iterator[Fault]:
    if name in DISK_PARTS:
        yield blocking_fault("doctor.disk_full", disk=name, left=state.said[-1])
    else:
        yield from (Fault(sentence, name not in DEFERRABLE_PARTS) for sentence in state.said)


def _waiting_faults(app: "App") -> Iterator[Fault]:
    backlog, now = read_backlog(app), app.now()
    for queue, sent in backlog.sent.items():
        if now - sent > LONG_WAIT:
            yield advisory_fault(
                "doctor.queue_piles_up", queue=queue, count=backlog.waiting[queue], minutes=_format_minutes(now - sent)
            )
    for kind, due in backlog.due.items():
        if now - due > LONG_WAIT:
            yield advisory_fault("doctor.record_waits", kind=kind, minutes=_format_minutes(now - due))
    if backlog.site_due and now - backlog.site_due > LONG_WAIT and not any(duty.late for duty in scheduler_duties(app)):
        yield advisory_fault("doctor.crawl_waits", minutes=_format_minutes(now - backlog.site_due))


def _failed_work_faults(app: "App") -> Iterator[Fault]:
    for kind, steps in (("works", app.store.works.count_by_step()), ("pages", app.store.pages.count_by_step())):
        if count := steps.get(Step.SET_ASIDE, 0):
            yield advisory_fault("doctor.set_aside", kind=kind, count=count)
    for run in app.store.runs.recent(kind=RunKind.CRAWL, limit=20):
        if run.problem is not None and app.now() - run.started_at < timedelta(days=1):
            yield advisory_fault("doctor.crawl_failed", subject=str(run.subject), reason=run.problem)
            return


def _format_minutes(waited: timedelta) -> str:
    return f"{waited.total_seconds() // 60:,.0f}"
