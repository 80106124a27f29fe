"""A worker whose process was killed in the middle of a task goes on, also when its broker went away with it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil
import redis
from kombu import pools

from tests.support.commands.a_worker import QUEUE, a_worker, pool
from tests.support.way import opened, wait_for
from wenhen.embedded import Addresses


def test_a_worker_takes_tasks_after_a_process_was_killed_and_its_broker_was_away(
    servers: Addresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path) as app, a_worker(app, tmp_path / "log", 1) as sender:
        assert app.settings.redis.url
        with closing(redis.Redis.from_url(app.settings.redis.url, single_connection_client=True)) as broker:
            sender.send_task("wait", args=(0.5,), queue=QUEUE)
            wait_for(lambda: broker.hlen("unacked"), "it is at the task")
            [process] = pool()
            worker = psutil.Process(process.ppid())
            worker.suspend()  # it learns of both at one time
            process.kill()
            with broker_away(broker):
                worker.resume()
                wait_for(lambda: refused(broker), "it has looked for its broker in vain")
            sender.send_task("wait", args=(0,), queue=QUEUE)
            wait_for(lambda: not broker.llen(QUEUE) and not broker.hlen("unacked"), "it is back, and goes on")
    pools.reset()  # type: ignore[no-untyped-call]  # connections of this process were cut as well


@contextmanager
def broker_away(broker: Any) -> Iterator[None]:
    """Nobody but this test has a connection to it, for the block."""
    [most] = broker.config_get("maxclients").values()
    broker.config_set("maxclients", 1)
    for kind in ("normal", "pubsub"):
        broker.client_kill_filter(_type=kind, skipme=True)
    broker.config_resetstat()
    yield
    broker.config_set("maxclients", most)


def refused(broker: Any) -> bool:
    return bool(broker.info("stats")["rejected_connections"])
