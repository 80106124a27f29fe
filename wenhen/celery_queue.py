"""The Celery application: queues, routes and what makes a task survive its worker."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import kombu.exceptions
import redis
from celery import Celery
from celery.signals import before_task_publish
from kombu.entity import Queue

from services.clock import SWEEP
from store.errors import Unavailable
from store.records import OwnerKind, Step
from store.rules.china_time import CHINA
from wenhen.addresses import broker_tls, broker_url
from wenhen.settings import load

CRAWL = "crawl"  # fetching: long, waits for the network
TEXT = "text"  # extraction and fingerprints: short, busy
MATCH = "match"  # look-up, alignment, cases
UPKEEP = "upkeep"  # sweep, schedule, rebuilds
WEBHOOKS = "webhooks"  # told to other machines, which may be slow: apart from crawls, which are long
EVIDENCE = "evidence"  # exhibits: a browser, and authorities that may be slow
ALL = (CRAWL, TEXT, MATCH, UPKEEP, WEBHOOKS, EVIDENCE)

BROKER_VARIABLE = "WENHEN_BROKER_URL"  # set by the process that starts the workers
BEAT_VARIABLE = "WENHEN_BEAT"  # the same: which of these two the clock sends
BATCH = "batch"  # the task that does one step of many records
SENT = "sent"  # header of a message: when it was sent, in seconds since 1970
LONGEST_TASK_SECONDS = 12 * 3600
# A step that takes longer has met what it cannot do: its process is killed, and after some tries the record set aside.
LONGEST_STEP_SECONDS = 15 * 60
LONGEST_BATCH_SECONDS = 3600
LONGEST_DELIVERY_SECONDS = 300
LONGEST_EVIDENCE_SECONDS = 3600

_STEP_QUEUE = {
    Step.EXTRACT: TEXT,
    Step.FINGERPRINT: TEXT,
    Step.INDEX: TEXT,
    Step.REMOVE: MATCH,
    Step.LOOK_UP: MATCH,
    Step.ALIGN: MATCH,
}


def task_name(kind: OwnerKind, step: Step) -> str:
    """The task that does this step, e.g. ``page.extract``."""
    return f"{kind}.{step}"


def queue_of(step: Step) -> str:
    """The queue in which this step waits."""
    return _STEP_QUEUE[step]


def make_celery(broker: str) -> Celery:
    """A Celery application on this broker.

    Messages go to a queue by its name, through the broker's nameless exchange: no binding has to survive in Redis, so
    an emptied Redis takes messages again at once. Results are not kept: what came out stands in MongoDB.
    """
    app = Celery("wenhen", broker=broker, set_as_current=False)
    app.conf.update(
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_time_limit=LONGEST_TASK_SECONDS,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_use_ssl=broker_tls(broker),
        beat_sync_every=1,  # the age of its file tells whether the clock still sends
        broker_transport_options={"visibility_timeout": LONGEST_TASK_SECONDS, "socket_keepalive": True},
        task_queues=[
            Queue(name, exchange="", routing_key=name)  # type: ignore[no-untyped-call]  # kombu types half of itself
            for name in ALL
        ],
        task_default_queue=UPKEEP,
        task_default_exchange="",
        task_default_routing_key=UPKEEP,
        task_create_missing_queues=False,
        timezone=CHINA.key,
        enable_utc=True,
    )
    return app


@before_task_publish.connect  # type: ignore[untyped-decorator]  # Celery is untyped
def _note_when_sent(headers: dict[str, Any], **_: Any) -> None:
    headers[SENT] = time.time()


class CeleryQueue:
    """Sends tasks, and says how many wait."""

    def __init__(self, url: str) -> None:
        self._celery = make_celery(broker_url(url))
        self._redis = redis.Redis.from_url(url, socket_timeout=10)

    def step(self, kind: OwnerKind, id: str, step: Step) -> None:
        """Send the next step of a record."""
        self._send(task_name(kind, step), queue_of(step), id)

    def steps(self, kind: OwnerKind, ids: Sequence[str], step: Step) -> None:
        """Send the next step of many records in one message; of one, as `step` does."""
        if len(ids) == 1:
            self.step(kind, ids[0], step)
        elif ids:
            self._send(BATCH, queue_of(step), kind.value, list(ids), step.value)

    def crawl(self, run_id: str) -> None:
        """Send a crawl whose run is stored."""
        self._send("crawl", CRAWL, run_id)

    def rebuild(self, kind: OwnerKind) -> None:
        """Send the rebuilding of one index."""
        self._send("rebuild", UPKEEP, str(kind))

    def deliver(self) -> None:
        """Send the telling of webhooks."""
        self._send("deliver", WEBHOOKS)

    def evidence(self) -> None:
        """Send the making of exhibits."""
        self._send("evidence", EVIDENCE)

    def tidy(self) -> None:
        """Send the daily tidying of the indexes."""
        self._send("tidy", UPKEEP)

    def sweep(self) -> None:
        """Send the search for what is unfinished and forgotten."""
        self._send(SWEEP, UPKEEP)

    def waiting(self) -> dict[str, int]:
        """Tasks that wait in each queue, those that a worker holds left out."""
        with _told(self._redis):
            return {name: int(self._redis.llen(name)) for name in ALL}

    def oldest(self) -> dict[str, datetime]:
        """When the message that waits longest was sent, for each queue that has one."""
        with _told(self._redis):
            last = {name: self._redis.lindex(name, -1) for name in ALL}
        sent = {name: json.loads(body)["headers"].get(SENT) for name, body in last.items() if body}
        return {name: datetime.fromtimestamp(at, UTC) for name, at in sent.items() if at}

    def workers(self) -> dict[str, list[str]]:
        """The workers that answer within a second, with the queues that each serves."""
        with _told(self._redis):
            replies = self._celery.control.inspect(timeout=1.0).active_queues() or {}
        return {name: sorted(queue["name"] for queue in queues) for name, queues in sorted(replies.items())}

    def ping(self) -> str:
        """The server's version."""
        with _told(self._redis):
            about = self._redis.info("server")
            return str(about.get("valkey_version") or about["redis_version"])

    def _send(self, name: str, queue: str, *args: str | list[str]) -> None:
        with _told(self._redis):
            # Not by exchange and routing key: Celery sends what has no named exchange to its default queue.
            self._celery.send_task(name, args=args, queue=queue)


@contextmanager
def _told(client: redis.Redis) -> Iterator[None]:
    try:
        yield
    except (redis.exceptions.RedisError, kombu.exceptions.OperationalError, OSError) as error:
        where = client.connection_pool.connection_kwargs
        address = where.get("path") or f"{where.get('host')}:{where.get('port')}"
        raise Unavailable("server.queues_silent", address=address, error=error) from error


def broker_from_environment() -> str:
    """The broker that the starter of this process chose; else the queues' Redis that the settings name."""
    return os.environ.get(BROKER_VARIABLE) or broker_url(load().redis.url or "redis://127.0.0.1:6379/0")
