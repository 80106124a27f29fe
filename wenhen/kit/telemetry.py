"""Define Prometheus metrics, trace spans, and the record that log lines name."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Final

from prometheus_client import Counter, Histogram, values
from prometheus_client.values import MultiProcessValue

# Prometheus metrics of each process. Values that can be read from the servers are not counted here. The processes of a
# group write into one folder (`PROMETHEUS_MULTIPROC_DIR`), and one of them serves all. A crawl process writes under the
# number of the worker that started it, so that there are no more files than workers.


METRICS_PLACE_VARIABLE: Final = "WENHEN_FIGURES_OF"
METRICS_FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"

if METRICS_FOLDER_VARIABLE in os.environ and METRICS_PLACE_VARIABLE in os.environ:
    values.ValueClass = MultiProcessValue(lambda: os.environ[METRICS_PLACE_VARIABLE])  # type: ignore[no-untyped-call]  # half typed

_LONG_BUCKETS_SECONDS: Final = (0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)

STEP_SECONDS: Final = Histogram(
    "wenhen_step_seconds",
    "Time that one step of one record, or of a batch, took.",
    ["kind", "step"],
    buckets=_LONG_BUCKETS_SECONDS,
)
STEP_FAILURES: Final = Counter(
    "wenhen_step_failures_total", "Steps that failed, by the code of the reason.", ["kind", "step", "reason"]
)
TASK_SECONDS: Final = Histogram(
    "wenhen_task_seconds", "Time that a task of a worker took.", ["task"], buckets=_LONG_BUCKETS_SECONDS
)
CRAWLED_ADDRESSES: Final = Counter(
    "wenhen_crawl_addresses_total", "What became of addresses: stored, refused, failed; and why.", ["outcome", "reason"]
)
CAPTURED_BYTES: Final = Counter("wenhen_captured_bytes_total", "Bytes of the bodies that crawls brought.")
REQUEST_SECONDS: Final = Histogram(
    "wenhen_request_seconds",
    "Time that the dashboard took to answer.",
    ["endpoint", "method", "status"],
    buckets=(0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0),
)
METRICS: Final = (STEP_SECONDS, STEP_FAILURES, TASK_SECONDS, CRAWLED_ADDRESSES, CAPTURED_BYTES, REQUEST_SECONDS)


# The record that is being processed. Log lines name it.


_CURRENT_RECORD: Final[ContextVar[str | None]] = ContextVar("at_work", default=None)


@contextmanager
def record_context(record: str) -> Iterator[None]:
    """Set the current record (``page:…``, ``run:…``) for the block."""
    token = _CURRENT_RECORD.set(record)
    try:
        yield
    finally:
        _CURRENT_RECORD.reset(token)


def current_record() -> str | None:
    """Return the current record, or None."""
    return _CURRENT_RECORD.get()


# Trace spans follow a record through the processes. They are off by default.


Tracer = Callable[[str, str], AbstractContextManager[object]]  # name of the span, and its record

_tracers: list[Tracer] = []


def add_tracer(tracer: Tracer) -> None:
    """Make all further spans with this tracer."""
    _tracers[:] = [tracer]


def trace_span(name: str, record: str) -> AbstractContextManager[object]:
    """Trace the block as a span of this record (``page:…``). All spans of a record form one trace."""
    return _tracers[0](name, record) if _tracers else nullcontext()
