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
from wenhen.settings.servers_and_logs import LogSettings, MetricsSettings, TracingSettings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

# Logs: text lines, or one JSON object in each line, with the current record. Secrets and personal data are masked
# before a line is written: secret parts of addresses, headers and settings, mail addresses and telephone numbers.


_MASK: Final = "***"
_SECRET_PATTERNS: Final = (
    (re.compile(r"(?<=://)[^\s/@:]*:[^\s/@]+(?=@)"), _MASK),  # user name and password in an address
    (re.compile(r"(?i)\b(authorization|cookie|set-cookie|x-api-key)(\W{1,4})[^\r\n]+"), rf"\1\2{_MASK}"),
    (
        re.compile(
            r"(?i)\b([\w-]{0,40}(?:password|passwd|secret|token|session|api_?key|signature))(\W{1,4})[^\s&,;'\"]+"
        ),
        rf"\1\2{_MASK}",
    ),
    (re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"), _MASK),  # mail address
    (re.compile(r"(?<!\d)1[3-9]\d{9}(?!\d)"), _MASK),  # a mobile number in China
)


def mask_log_secrets(text: str) -> str:
    """Mask secrets and personal data in a text.

    >>> mask_log_secrets("redis://wenhen:geheim@redis:6379/0 refused; Cookie: a=b")
    'redis://***@redis:6379/0 refused; Cookie: ***'
    >>> mask_log_secrets("write to zhang@example.com or 13800138000, token=abc")
    'write to *** or ***, token=***'
    """
    for pattern, cover in _SECRET_PATTERNS:
        text = pattern.sub(cover, text)
    return text


class MaskingFormatter(logging.Formatter):
    """Formats a text line."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record with its traceback, and mask the result."""
        return mask_log_secrets(super().format(record))


class MaskingJsonFormatter(JsonFormatter):
    """Formats a JSON object: time, level, logger, process, message, current record, and traceback."""

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        """Add the fields, and mask all texts."""
        super().add_fields(log_data, record, message_dict)
        if at_work := current_record():
            log_data["record"] = at_work
        for name, value in log_data.items():
            if isinstance(value, str):
                log_data[name] = mask_log_secrets(value)


_JSON_FIELDS: Final = {"levelname": "level", "name": "logger", "process": "process"}


def log_config(settings: LogSettings) -> dict[str, Any]:
    """Return the configuration for `logging.config`: everything goes to stderr."""
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
        "handlers": {  # with an explicit level, because Scrapy sets other levels on its loggers
            "stderr": {"class": "logging.StreamHandler", "formatter": settings.format, "level": settings.level}
        },
        "root": {"level": settings.level, "handlers": ["stderr"]},
        # The handlers of gunicorn and Celery would write each line twice.
        "loggers": {
            name: {"level": settings.level, "handlers": [], "propagate": True}
            for name in ("gunicorn.error", "gunicorn.access", "celery")
        },
    }


def set_up_logs(settings: LogSettings) -> None:
    """Configure the logs of this process."""
    logging.config.dictConfig(log_config(settings))


# Prometheus endpoint: one for all processes of a service, `/metrics` on `metrics.port`.


logger = logging.getLogger(__name__)


def serve_metrics(settings: MetricsSettings, more: Iterable[Collector] = ()) -> None:
    """Serve metrics in a thread, unless the port is 0. more: further collectors.

    A port in use is only logged, because the work must continue without monitoring.
    """
    if not settings.port:
        return
    try:
        start_http_server(settings.port, settings.host, registry=metrics_registry(more))
    except OSError as error:
        logger.warning("no metrics on %s:%s: %s", settings.host, settings.port, error.strerror)


def metrics_registry(more: Iterable[Collector] = ()) -> CollectorRegistry:
    """Return the registry of all processes that share the metrics folder, or without one, of this process."""
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


# OpenTelemetry traces: the path of one record through crawl, steps and cases is one trace. The trace id is derived from
# the record id, so that processes need not pass it on.


def trace_id(record: str) -> int:
    """Return the 128-bit trace id of a record (``page:…``).

    >>> f"{trace_id('page:a'):032x}"
    'eef93f78747edac84005882495e0de78'
    """
    return int.from_bytes(sha256(record.encode()).digest()[:16])


def set_up_traces(settings: TracingSettings, exporter: "SpanExporter | None" = None) -> None:
    """Send traces of this process to `tracing.endpoint`, or to the exporter; without either, do nothing.

    Raises `SetupError` if OpenTelemetry is not installed.
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
