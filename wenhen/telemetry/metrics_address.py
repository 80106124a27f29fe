"""Where Prometheus asks: one address for all processes of a service, `/metrics` on `metrics.port`."""

import logging
import os
from collections.abc import Iterable

from prometheus_client import REGISTRY, CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from store.metrics import FOLDER_VARIABLE
from wenhen.settings import MetricsSettings

logger = logging.getLogger(__name__)


def serve(settings: MetricsSettings, more: Iterable[Collector] = ()) -> None:
    """Answer in a thread from now on, unless the port is 0; `more` is told besides what processes count.

    A port that cannot be had is logged: nothing stops working because nobody can watch.
    """
    if not settings.port:
        return
    try:
        start_http_server(settings.port, settings.host, registry=registry(more))
    except OSError as error:
        logger.warning("no metrics on %s:%s: %s", settings.host, settings.port, error.strerror)


def registry(more: Iterable[Collector] = ()) -> CollectorRegistry:
    """What all processes that share our folder counted, or where none is shared this process alone."""
    if FOLDER_VARIABLE not in os.environ:
        for collector in more:
            REGISTRY.register(collector)
        return REGISTRY
    shared = CollectorRegistry()
    MultiProcessCollector(shared)  # type: ignore[no-untyped-call]  # half typed
    ProcessCollector(registry=shared)
    for collector in more:
        shared.register(collector)
    return shared
