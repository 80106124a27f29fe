"""The Celery application: queues, routes and what makes a task survive its worker."""

import os
import time
from typing import Any

from celery import Celery
from celery.signals import before_task_publish, worker_process_init
from kombu.entity import Queue

from store.rules.china_time import CHINA
from wenhen.garbage_collection import look_for_garbage_seldom
from wenhen.queue_names import ALL, BROKER_VARIABLE, SENT, UPKEEP
from wenhen.redis_addresses import broker_tls, broker_url
from wenhen.settings import load
from wenhen.task_time_limits import LONGEST_TASK_SECONDS


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
        # Once the broker was away, it would be what the processes of that moment take: those started later had nothing.
        worker_enable_prefetch_count_reduction=False,
        worker_pool="wenhen.celery_pool:ForgettingTaskPool",
        worker_autoscaler="wenhen.autoscaling:ByAge",
        worker_proc_alive_timeout=60,  # by default 4: a process that a busy machine starts would be killed
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


@worker_process_init.connect  # type: ignore[untyped-decorator]  # Celery is untyped
def _keep_what_was_imported(**_: Any) -> None:
    look_for_garbage_seldom()


def broker_from_environment() -> str:
    """The broker that the starter of this process chose; else the queues' Redis that the settings name."""
    return os.environ.get(BROKER_VARIABLE) or broker_url(load().redis.url or "redis://127.0.0.1:6379/0")
