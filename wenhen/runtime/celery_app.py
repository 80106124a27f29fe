"""Configure Celery: queues, time limits, late acknowledgement, logs and metrics."""

import os
import time
from typing import Any, Final

from celery import Celery, signals
from celery.signals import before_task_publish, worker_process_init
from kombu.entity import Queue

from wenhen.kit.clock import CHINA
from wenhen.kit.python_process import tune_worker_garbage_collection
from wenhen.kit.telemetry import TASK_SECONDS
from wenhen.runtime.monitoring import serve_metrics, set_up_logs, set_up_traces
from wenhen.runtime.settings_sources import BROKER_VARIABLE, Settings, load_settings
from wenhen.settings.servers_and_logs import broker_tls, broker_url
from wenhen.steps.fair_queue import QUEUES, SENT_HEADER, UPKEEP_QUEUE

# Time limits of tasks. A process that exceeds its limit is killed, and another one takes the task.


MAX_TASK_SECONDS: Final = 12 * 3600
# A longer step is hopeless: its process is killed, and after some tries the record is set aside.
MAX_STEP_SECONDS: Final = 15 * 60
MAX_BATCH_SECONDS: Final = 3600
MAX_DELIVERY_SECONDS: Final = 300
MAX_EVIDENCE_SECONDS: Final = 3600


# The Celery application: queues, routes, and settings by which tasks survive their worker.


def make_celery(broker: str) -> Celery:
    """Make the Celery application for this broker.

    Messages are routed to queues by name, through the default exchange of the broker. No binding is stored in Redis, so
    an emptied Redis accepts messages again at once. Task results are not stored, because all results are in MongoDB.
    """
    app = Celery("wenhen", broker=broker, set_as_current=False)
    app.conf.update(
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_time_limit=MAX_TASK_SECONDS,
        worker_prefetch_multiplier=1,
        # Otherwise processes that start after a lost broker connection would get no tasks.
        worker_enable_prefetch_count_reduction=False,
        worker_pool="wenhen.runtime.celery_pool_fixes:DescriptorSafeTaskPool",
        worker_autoscaler="wenhen.runtime.celery_worker:QueueAgeAutoscaler",
        worker_proc_alive_timeout=60,  # the default of 4 would kill processes that a busy machine starts slowly
        worker_hijack_root_logger=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_use_ssl=broker_tls(broker),
        beat_sync_every=1,  # the age of its file shows whether beat still sends
        broker_transport_options={"visibility_timeout": MAX_TASK_SECONDS, "socket_keepalive": True},
        task_queues=[
            Queue(name, exchange="", routing_key=name)  # type: ignore[no-untyped-call]  # kombu is partly typed
            for name in QUEUES
        ],
        task_default_queue=UPKEEP_QUEUE,
        task_default_exchange="",
        task_default_routing_key=UPKEEP_QUEUE,
        task_create_missing_queues=False,
        timezone=CHINA.key,
        enable_utc=True,
    )
    return app


@before_task_publish.connect  # type: ignore[untyped-decorator]  # Celery is untyped
def _add_sent_header(headers: dict[str, Any], **_: Any) -> None:
    headers[SENT_HEADER] = time.time()


@worker_process_init.connect  # type: ignore[untyped-decorator]  # Celery is untyped
def _tune_worker_process(**_: Any) -> None:
    tune_worker_garbage_collection()


def broker_from_environment() -> str:
    """Return the broker URL from the environment, or the Redis of the queues from the settings."""
    return os.environ.get(BROKER_VARIABLE) or broker_url(load_settings().redis.url or "redis://127.0.0.1:6379/0")


# Celery hooks: logs, task durations, and the metrics port.


_task_starts: Final[dict[str, float]] = {}


def install_telemetry_hooks(settings: Settings) -> None:
    """Install the hooks for workers, their children, and beat. A process that only sends tasks is not affected."""

    def logs(**_: Any) -> None:
        set_up_logs(settings.log)

    def answer(**_: Any) -> None:
        serve_metrics(settings.metrics)

    def trace(**_: Any) -> None:
        set_up_traces(settings.tracing)

    signals.setup_logging.connect(logs, weak=False)
    signals.worker_ready.connect(answer, weak=False)
    signals.beat_init.connect(answer, weak=False)
    signals.worker_process_init.connect(trace, weak=False)
    signals.task_prerun.connect(_note_task_start, weak=False)
    signals.task_postrun.connect(_observe_task_time, weak=False)


def _note_task_start(task_id: str, **_: Any) -> None:
    _task_starts[task_id] = time.perf_counter()


def _observe_task_time(task_id: str, task: Any, **_: Any) -> None:
    if (began := _task_starts.pop(task_id, None)) is not None:
        TASK_SECONDS.labels(task.name).observe(time.perf_counter() - began)
