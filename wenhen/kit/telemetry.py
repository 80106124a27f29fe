"""Define Prometheus metrics, trace spans, and the record that log lines name."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Final

from prometheus_client import Counter, Histogram, values
from prometheus_client.values import MultiProcessValue

# What each process counts of itself, for Prometheus; what can be read from the servers is not counted here.
#
# Processes that belong together write into one folder (`PROMETHEUS_MULTIPROC_DIR`), each under its number, and one of
# them tells for all. A process that lives for one crawl writes in the place of the worker that started it, so that
# there are no more files than workers.


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


# Which record is being worked at: what is logged meanwhile names it.


_CURRENT_RECORD: Final[ContextVar[str | None]] = ContextVar("at_work", default=None)


@contextmanager
def record_context(record: str) -> Iterator[None]:
    """For the block, this record (``page:…``, ``run:…``)."""
    token = _CURRENT_RECORD.set(record)
    try:
        yield
    finally:
        _CURRENT_RECORD.reset(token)


def current_record() -> str | None:
    """The record, where there is one."""
    return _CURRENT_RECORD.get()


# Spans of a trace, for whoever follows one record through its processes; by default nobody does.


Tracer = Callable[[str, str], AbstractContextManager[object]]  # name of the span, the record that it belongs to

_tracers: list[Tracer] = []


def add_tracer(tracer: Tracer) -> None:
    """Have spans made by this from now on."""
    _tracers[:] = [tracer]


def trace_span(name: str, record: str) -> AbstractContextManager[object]:
    """For the block: something is done with this record (``page:…``). All spans of a record are one trace."""
    return _tracers[0](name, record) if _tracers else nullcontext()
