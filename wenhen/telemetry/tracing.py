"""Traces by OpenTelemetry: the way of one record through crawl, steps and cases is one trace.

Its id comes from the record's, so that nothing has to be handed from process to process: whoever knows the page knows
the trace.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

from store.errors import SetupError
from store.trace_spans import trace_by
from wenhen.settings import TracingSettings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter


def trace_id(record: str) -> int:
    """The trace of a record (``page:…``), 128 bits.

    >>> f"{trace_id('page:a'):032x}"
    'eef93f78747edac84005882495e0de78'
    """
    return int.from_bytes(sha256(record.encode()).digest()[:16])


def set_up_traces(settings: TracingSettings, exporter: "SpanExporter | None" = None) -> None:
    """Send what this process does from now on to `tracing.endpoint`, or to the exporter; without either, nothing.

    Raises `SetupError` where OpenTelemetry is not installed.
    """
    if settings.endpoint is None and exporter is None:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
        from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context
    except ImportError:
        raise SetupError("settings.no_tracing") from None
    provider = TracerProvider(resource=Resource.create({"service.name": "wenhen"}))
    provider.add_span_processor(
        SimpleSpanProcessor(exporter) if exporter else BatchSpanProcessor(OTLPSpanExporter(settings.endpoint))
    )
    tracer = provider.get_tracer("wenhen")

    @contextmanager
    def span(name: str, record: str) -> Iterator[None]:
        trace = trace_id(record)
        root = SpanContext(trace, trace & (2**64 - 1), is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
        within = set_span_in_context(NonRecordingSpan(root))
        with tracer.start_as_current_span(name, within, attributes={"wenhen.record": record}):
            yield

    trace_by(span)
