"""How a child process is started, and the environment in which it meets the same servers with the same settings."""

import os
import sys
from collections.abc import Mapping

from wenhen.queue_names import BROKER_VARIABLE
from wenhen.redis_addresses import broker_url
from wenhen.settings import Settings, as_environment

METRICS_PORT_VARIABLE = "WENHEN_METRICS_PORT"


def python(module: str, *arguments: str) -> tuple[str, ...]:
    """The command that runs a module as a child: isolated (-I), so that no file of the working folder, and no path of
    the environment, is taken for a module.
    """
    return (sys.executable, "-I", "-X", "utf8", "-m", module, *arguments)


def child_environment(settings: Settings) -> Mapping[str, str]:
    """What a child process (worker, beat, crawl, dashboard) needs to meet the same servers with the same settings."""
    assert settings.redis.url
    apart = {METRICS_PORT_VARIABLE: "0"}  # one port is for one process: see wenhen/processes/prometheus_targets.py
    return {**os.environ, **as_environment(settings), **apart, BROKER_VARIABLE: broker_url(settings.redis.url)}
