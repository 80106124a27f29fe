"""The queue of Celery as the steps and use cases see it."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

import redis

from services.clock import SWEEP
from store.errors import Unavailable
from store.records import OwnerKind, Step
from wenhen.addresses import broker_url
from wenhen.queue_names import ALL, BATCH, CRAWL, EVIDENCE, SENT, UPKEEP, WEBHOOKS, queue_of, task_name

if TYPE_CHECKING:
    from celery import Celery


class CeleryQueue:
    """Sends tasks, and says how many wait."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._redis = redis.Redis.from_url(url, socket_timeout=10)

    @cached_property
    def _celery(self) -> "Celery":
        # It takes long to import, and a command that only reads sends nothing.
        from wenhen.celery_app import make_celery

        return make_celery(broker_url(self._url))

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

    def reports(self) -> None:
        """Send the making of reports."""
        self._send("reports", EVIDENCE)

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
        from kombu.exceptions import OperationalError

        with _told(self._redis, OperationalError):
            replies = self._celery.control.inspect(timeout=1.0).active_queues() or {}
        return {name: sorted(queue["name"] for queue in queues) for name, queues in sorted(replies.items())}

    def ping(self) -> str:
        """The server's version."""
        with _told(self._redis):
            about = self._redis.info("server")
            return str(about.get("valkey_version") or about["redis_version"])

    def _send(self, name: str, queue: str, *args: str | list[str]) -> None:
        from kombu.exceptions import OperationalError

        with _told(self._redis, OperationalError):
            # Not by exchange and routing key: Celery sends what has no named exchange to its default queue.
            self._celery.send_task(name, args=args, queue=queue)


@contextmanager
def _told(client: redis.Redis, *failures: type[Exception]) -> Iterator[None]:
    expected: tuple[type[Exception], ...] = (redis.exceptions.RedisError, OSError, *failures)
    try:
        yield
    except expected as error:
        where = client.connection_pool.connection_kwargs
        address = where.get("path") or f"{where.get('host')}:{where.get('port')}"
        raise Unavailable("server.queues_silent", address=address, error=error) from error
