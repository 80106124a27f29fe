"""Write logs without secrets, serve Prometheus metrics, and send OpenTelemetry traces."""

import logging
import logging.config
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import REGISTRY, CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from pythonjsonlogger.json import JsonFormatter

from wenhen.kit.errors import SetupError
from wenhen.kit.telemetry import METRICS_FOLDER_VARIABLE, add_tracer, current_record
from wenhen.runtime.settings import LogSettings, MetricsSettings, TracingSettings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

# What the processes write down: lines to read, or one JSON object a line, with the record that was worked at.
#
# Neither holds a secret or personal data: words of addresses, headers and settings that are secret, mail addresses and
# telephone numbers are covered before a line is written, wherever they came from.


_MASK: Final = "***"
_SECRET_PATTERNS: Final = (
    (re.compile(r"(?<=://)[^\s/@:]*:[^\s/@]+(?=@)"), _MASK),  # name and password of an address
    (re.compile(r"(?i)\b(authorization|cookie|set-cookie|x-api-key)(\W{1,4})[^\r\n]+"), rf"\1\2{_MASK}"),
    (
        re.compile(
            r"(?i)\b([\w-]{0,40}(?:password|passwd|secret|token|session|api_?key|signature))(\W{1,4})[^\s&,;'\"]+"
        ),
        rf"\1\2{_MASK}",
    ),
    (re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"), _MASK),  # mail
    (re.compile(r"(?<!\d)1[3-9]\d{9}(?!\d)"), _MASK),  # a mobile number in China
)


def mask_log_secrets(text: str) -> str:
    """The text without what nobody should find in a log.

    >>> mask_log_secrets("redis://wenhen:geheim@redis:6379/0 refused; Cookie: a=b")
    'redis://***@redis:6379/0 refused; Cookie: ***'
    >>> mask_log_secrets("write to zhang@example.com or 13800138000, token=abc")
    'write to *** or ***, token=***'
    """
    for pattern, cover in _SECRET_PATTERNS:
        text = pattern.sub(cover, text)
    return text


class MaskingFormatter(logging.Formatter):
    """A line to read."""

    def format(self, record: logging.LogRecord) -> str:
        """Covered as a whole, the trace of an error too."""
        return mask_log_secrets(super().format(record))


class MaskingJsonFormatter(JsonFormatter):
    """One JSON object: time, level, logger, process, message, the record at work, and the trace of an error."""

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        """Each text among them covered."""
        super().add_fields(log_data, record, message_dict)
        if at_work := current_record():
            log_data["record"] = at_work
        for name, value in log_data.items():
            if isinstance(value, str):
                log_data[name] = mask_log_secrets(value)


_JSON_FIELDS: Final = {"levelname": "level", "name": "logger", "process": "process"}


def log_config(settings: LogSettings) -> dict[str, Any]:
    """The configuration of `logging.config`: everything to stderr, which whoever started the process keeps."""
    formatters = {
        "text": {"()": MaskingFormatter, "format": "%(asctime)s %(levelname)s %(name)s %(process)d: %(message)s"},
        "json": {
            "()": MaskingJsonFormatter,
            "fmt": "%(levelname)s %(name)s %(process)d %(message)s",
            "rename_fields": _JSON_FIELDS,
            "timestamp": "time",
            "json_ensure_ascii": False,
        },
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": formatters,
        "handlers": {  # of its own level: Scrapy gives its loggers another
            "stderr": {"class": "logging.StreamHandler", "formatter": settings.format, "level": settings.level}
        },
        "root": {"level": settings.level, "handlers": ["stderr"]},
        # gunicorn's and Celery's own would write each line twice.
        "loggers": {
            name: {"level": settings.level, "handlers": [], "propagate": True}
            for name in ("gunicorn.error", "gunicorn.access", "celery")
        },
    }


def set_up_logs(settings: LogSettings) -> None:
    """Write this process' log so from now on."""
    logging.config.dictConfig(log_config(settings))


# Where Prometheus asks: one address for all processes of a service, `/metrics` on `metrics.port`.


logger = logging.getLogger(__name__)


def serve_metrics(settings: MetricsSettings, more: Iterable[Collector] = ()) -> None:
    """Answer in a thread from now on, unless the port is 0; `more` is told besides what processes count.

    A port that cannot be had is logged: nothing stops working because nobody can watch.
    """
    if not settings.port:
        return
    try:
        start_http_server(settings.port, settings.host, registry=metrics_registry(more))
    except OSError as error:
        logger.warning("no metrics on %s:%s: %s", settings.host, settings.port, error.strerror)


def metrics_registry(more: Iterable[Collector] = ()) -> CollectorRegistry:
    """What all processes that share our folder counted, or where none is shared this process alone."""
    if METRICS_FOLDER_VARIABLE not in os.environ:
        for collector in more:
            REGISTRY.register(collector)
        return REGISTRY
    shared = CollectorRegistry()
    MultiProcessCollector(shared)  # type: ignore[no-untyped-call]  # half typed
    ProcessCollector(registry=shared)
    for collector in more:
        shared.register(collector)
    return shared


# Traces by OpenTelemetry: the way of one record through crawl, steps and cases is one trace.
#
# Its id comes from the record's, so that nothing has to be handed from process to process: whoever knows the page knows
# the trace.


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

    add_tracer(span)
