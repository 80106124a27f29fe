"""Imports redis-py without the metrics of OpenTelemetry, sixty modules that it takes where they are installed and that
nobody asks it for. To be imported before whatever imports redis.
"""

import sys
from importlib import import_module
from typing import Final

_METRICS: Final = "opentelemetry.sdk.metrics"

if "redis" not in sys.modules and _METRICS not in sys.modules:
    sys.modules[_METRICS] = None  # type: ignore[assignment]  # so is a module made missing
    try:
        import_module("redis")
    finally:
        del sys.modules[_METRICS]
