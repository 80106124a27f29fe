"""Send tasks to Celery, and measure the queues."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from wenhen.context.store_and_queue import WORKS_SHARE, QueueShare
from wenhen.kit.errors import Unavailable
from wenhen.kit.progress import OwnerKind, Step
from wenhen.settings.servers_and_logs import broker_url, import_redis
from wenhen.steps.duties import SWEEP_DUTY
from wenhen.steps.fair_queue import (
    BATCH_MODE,
    BATCH_TASK,
    CRAWL_QUEUE,
    EVIDENCE_QUEUE,
    HIGH_PRIORITY,
    LOW_PRIORITY,
    LOW_PRIORITY_CRAWLS,
    QUEUES,
    SENT_HEADER,
    SINGLE_MODE,
    STEP_QUEUES,
    TEXT_QUEUE,
    UPKEEP_QUEUE,
    WEBHOOK_QUEUE,
    FairShares,
    ShareTurn,
    queue_of,
)

if TYPE_CHECKING:
    import redis
    from celery import Celery

MAX_CALLS = 64  # messages of a step queue that more turns add to; one takes a millisecond to send
MAX_WAKE_CALLS = 8  # messages that are sent again after messages were lost
WORKER_ANSWER_SECONDS = (
    0.15,
    1.0,
)  # seconds to wait for further answers, in the first and the second attempt


class CeleryQueue:
    """Sends tasks, and counts those that wait."""

    def __init__(self, url: str) -> None:
        self._url = url

    @cached_property
    def _redis(self) -> "redis.Redis":
        import_redis()
        from redis import Redis

        return Redis.from_url(self._url, socket_timeout=10)

    @cached_property
    def _shares(self) -> FairShares:
        return FairShares(self._redis)

    @cached_property
    def _celery(self) -> "Celery":
        from wenhen.runtime.celery_app import make_celery

        return make_celery(broker_url(self._url))

    def step(self, kind: OwnerKind, id: str, step: Step, share: QueueShare, *, begun: bool = False) -> None:
        """Queue the next step of a record that must run alone."""
        with _translate_errors(self._redis):
            turns = self._shares.put(queue_of(step), share, kind, step, [id], how=SINGLE_MODE, first=begun)
        self._call(queue_of(step), turns)

    def steps(
        self,
        kind: OwnerKind,
        ids: Sequence[str],
        step: Step,
        share: QueueShare,
        *,
        begun: bool = False,
        unless_waiting: bool = False,
    ) -> None:
        """Queue the next step of records that may run in a batch."""
        if ids:
            with _translate_errors(self._redis):
                turns = self._shares.put(
                    queue_of(step), share, kind, step, ids, how=BATCH_MODE, stay=unless_waiting, first=begun
                )
            self._call(queue_of(step), turns if turns == 1 else min(turns, self._room_for_calls(queue_of(step))))

    def take(self, queue: str) -> ShareTurn | None:
        """Take the next turn of a step queue; None if nothing waits."""
        with _translate_errors(self._redis):
            return self._shares.take(queue)

    def charge_turn(self, turn: ShareTurn, seconds: float) -> None:
        """Charge the shares for the duration of a turn.

        Call a worker if a share has more records of the turn, or if records wait for which there is no message.
        """
        with _translate_errors(self._redis):
            waiting = self._shares.charge_turn(turn, seconds)
            uncalled = waiting > 0 and not self._redis.llen(turn.queue)
        self._call(turn.queue, int(turn.left or uncalled))

    def put_back(self, turn: ShareTurn) -> None:
        """Queue the records of a turn again, before the others of their shares."""
        with _translate_errors(self._redis):
            turns = self._shares.put_back(turn)
        self._call(turn.queue, turns)

    def works_wait_for_protection(self) -> bool:
        """Return whether new works wait to be fingerprinted and indexed."""
        with _translate_errors(self._redis):
            return self._shares.count_waiting(TEXT_QUEUE, WORKS_SHARE) > 0

    def wake(self) -> None:
        """Call workers if steps wait without a message: it was lost with its worker."""
        for queue in STEP_QUEUES:
            with _translate_errors(self._redis):
                lost = self._shares.count_waiting(queue) and not self._redis.llen(queue)
            self._call(queue, MAX_WAKE_CALLS if lost else 0)

    def crawl(self, run_id: str, *, soon: bool = False) -> None:
        """Queue a crawl whose run is stored."""
        self._send("crawl", CRAWL_QUEUE, run_id, priority=HIGH_PRIORITY if soon else LOW_PRIORITY)

    def rebuild(self, kind: OwnerKind) -> None:
        """Queue the rebuild of an index."""
        self._send("rebuild", UPKEEP_QUEUE, str(kind))

    def deliver(self) -> None:
        """Queue the delivery of webhooks."""
        self._send("deliver", WEBHOOK_QUEUE)

    def evidence(self) -> None:
        """Queue the production of exhibits."""
        self._send("evidence", EVIDENCE_QUEUE)

    def reports(self) -> None:
        """Queue the production of reports."""
        self._send("reports", EVIDENCE_QUEUE)

    def audits(self) -> None:
        """Queue the audit of extraction coverage of sites."""
        self._send("audits", EVIDENCE_QUEUE)

    def replies(self) -> None:
        """Queue the check of the mailbox of notices."""
        self._send("replies", WEBHOOK_QUEUE)

    def listings(self) -> None:
        """Queue the requested searches, and the check of search engine listings."""
        self._send("listings", EVIDENCE_QUEUE)

    def backup(self) -> None:
        """Queue the backup that was begun on screen."""
        self._send("backup", EVIDENCE_QUEUE)

    def regions(self) -> None:
        """Queue the next capture from a region."""
        self._send("regions", EVIDENCE_QUEUE)

    def tidy(self) -> None:
        """Queue the daily compaction of the indexes."""
        self._send("tidy", UPKEEP_QUEUE)

    def sweep(self) -> None:
        """Queue the reconciler, which finds unfinished records."""
        self._send(SWEEP_DUTY, UPKEEP_QUEUE)

    def count_waiting(self) -> dict[str, int]:
        """Count what waits in each queue: records in step queues, tasks in the others; without those that a worker
        holds.
        """
        with _translate_errors(self._redis):
            steps = {name: self._shares.count_waiting(name) for name in STEP_QUEUES}
            others = {
                name: sum(map(self._redis.llen, _queue_lists(name))) for name in QUEUES if name not in STEP_QUEUES
            }
        return {name: (steps | others)[name] for name in QUEUES}

    def oldest(self) -> dict[str, datetime]:
        """Return since when the oldest entry of each non-empty queue waits."""
        with _translate_errors(self._redis):
            came = {name: self._shares.oldest(name) if name in STEP_QUEUES else self._oldest(name) for name in QUEUES}
        return {name: sent_at for name, sent_at in came.items() if sent_at}

    def workers(self) -> dict[str, list[str]]:
        """Return the workers that answer, with the queues of each.

        The number of workers is unknown. If those that answer at once serve every queue, no others are waited for.
        """
        with _translate_errors(self._redis):
            if not self._redis.pubsub_numpat():  # workers subscribe by patterns, and nobody does
                return {}
        queues: dict[str, list[str]] = {}
        for patience in WORKER_ANSWER_SECONDS:
            queues = self._ask_workers(patience)
            if {queue for queues in queues.values() for queue in queues} >= set(QUEUES):
                break
        return queues

    def ping(self) -> str:
        """Return the version of the server."""
        with _translate_errors(self._redis):
            about = self._redis.info("server")
            return str(about.get("valkey_version") or about["redis_version"])

    def _oldest(self, queue: str) -> datetime | None:
        last = [body for name in _queue_lists(queue) if (body := self._redis.lindex(name, -1))]
        sent = [sent_at for body in last if (sent_at := json.loads(body)["headers"].get(SENT_HEADER))]
        return datetime.fromtimestamp(min(sent), UTC) if sent else None

    def _ask_workers(self, patience: float) -> dict[str, list[str]]:
        from kombu.exceptions import OperationalError

        with _translate_errors(self._redis, OperationalError):
            replies = self._celery.control.inspect(timeout=patience).active_queues() or {}
        return {name: sorted(queue["name"] for queue in queues) for name, queues in sorted(replies.items())}

    def _room_for_calls(self, queue: str) -> int:
        """Return how many more messages a step queue may have. A turn that ends calls for the turns without one."""
        with _translate_errors(self._redis):
            return max(0, MAX_CALLS - self._redis.llen(queue))

    def _call(self, queue: str, turns: int) -> None:
        for _ in range(turns):
            self._send(BATCH_TASK, queue, queue)

    def _send(self, name: str, queue: str, *args: str, priority: int = HIGH_PRIORITY) -> None:
        from kombu.exceptions import OperationalError

        with _translate_errors(self._redis, OperationalError):
            # Not by exchange and routing key: Celery sends messages without a named exchange to its default queue.
            self._celery.send_task(name, args=args, queue=queue, priority=priority)


def _queue_lists(queue: str) -> tuple[str, ...]:
    """Return the Redis lists of the messages of a queue."""
    return (CRAWL_QUEUE, LOW_PRIORITY_CRAWLS) if queue == CRAWL_QUEUE else (queue,)


@contextmanager
def _translate_errors(client: "redis.Redis", *failures: type[Exception]) -> Iterator[None]:
    from redis.exceptions import RedisError

    expected: tuple[type[Exception], ...] = (RedisError, OSError, *failures)
    try:
        yield
    except expected as error:
        where = client.connection_pool.connection_kwargs
        address = where.get("path") or f"{where.get('host')}:{where.get('port')}"
        raise Unavailable("server.queues_silent", address=address, error=error) from error
