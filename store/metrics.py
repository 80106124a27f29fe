"""What each process counts of itself, for Prometheus; what can be read from the servers is not counted here.

Processes that belong together write into one folder (`PROMETHEUS_MULTIPROC_DIR`), each under its number, and one of
them tells for all. A process that lives for one crawl writes in the place of the worker that started it, so that there
are no more files than workers.
"""

import os
from typing import Final

from prometheus_client import Counter, Histogram, values
from prometheus_client.values import MultiProcessValue

PLACE_VARIABLE: Final = "WENHEN_FIGURES_OF"
FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"

if FOLDER_VARIABLE in os.environ and PLACE_VARIABLE in os.environ:
    values.ValueClass = MultiProcessValue(lambda: os.environ[PLACE_VARIABLE])  # type: ignore[no-untyped-call]  # half typed

_LONG: Final = (0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)

STEP_SECONDS: Final = Histogram(
    "wenhen_step_seconds", "Time that one step of one record, or of a batch, took.", ["kind", "step"], buckets=_LONG
)
STEP_FAILURES: Final = Counter(
    "wenhen_step_failures_total", "Steps that failed, by the code of the reason.", ["kind", "step", "reason"]
)
TASK_SECONDS: Final = Histogram("wenhen_task_seconds", "Time that a task of a worker took.", ["task"], buckets=_LONG)
CRAWLED: Final = Counter(
    "wenhen_crawl_addresses_total", "What became of addresses: stored, refused, failed; and why.", ["outcome", "reason"]
)
CAPTURED_BYTES: Final = Counter("wenhen_captured_bytes_total", "Bytes of the bodies that crawls brought.")
REQUEST_SECONDS: Final = Histogram(
    "wenhen_request_seconds",
    "Time that the dashboard took to answer.",
    ["endpoint", "method", "status"],
    buckets=(0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0),
)
EVENTS: Final = (STEP_SECONDS, STEP_FAILURES, TASK_SECONDS, CRAWLED, CAPTURED_BYTES, REQUEST_SECONDS)
