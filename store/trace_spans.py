"""Spans of a trace, for whoever follows one record through its processes; by default nobody does."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Tracer = Callable[[str, str], AbstractContextManager[object]]  # name of the span, the record that it belongs to

_tracers: list[Tracer] = []


def trace_by(tracer: Tracer) -> None:
    """Have spans made by this from now on."""
    _tracers[:] = [tracer]


def span(name: str, record: str) -> AbstractContextManager[object]:
    """For the block: something is done with this record (``page:…``). All spans of a record are one trace."""
    return _tracers[0](name, record) if _tracers else nullcontext()
