"""What Celery's processes do beside their tasks: their logs, the time that tasks take, where Prometheus asks."""

import time
from typing import Any, Final

from celery import signals

from store.metrics import TASK_SECONDS
from wenhen.settings import Settings
from wenhen.telemetry.logs import set_up_logs
from wenhen.telemetry.metrics_address import serve
from wenhen.telemetry.tracing import set_up_traces

_began: Final[dict[str, float]] = {}


def install(settings: Settings) -> None:
    """For a worker, its children, and the clock; a process that only sends is left as it is."""

    def logs(**_: Any) -> None:
        set_up_logs(settings.log)

    def answer(**_: Any) -> None:
        serve(settings.metrics)

    def trace(**_: Any) -> None:
        set_up_traces(settings.tracing)

    signals.setup_logging.connect(logs, weak=False)
    signals.worker_ready.connect(answer, weak=False)
    signals.beat_init.connect(answer, weak=False)
    signals.worker_process_init.connect(trace, weak=False)
    signals.task_prerun.connect(_begins, weak=False)
    signals.task_postrun.connect(_ends, weak=False)


def _begins(task_id: str, **_: Any) -> None:
    _began[task_id] = time.perf_counter()


def _ends(task_id: str, task: Any, **_: Any) -> None:
    if (began := _began.pop(task_id, None)) is not None:
        TASK_SECONDS.labels(task.name).observe(time.perf_counter() - began)
