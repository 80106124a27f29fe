"""Configure gunicorn."""

import gc

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

from wenhen.runtime.monitoring import log_config, serve_metrics
from wenhen.runtime.settings_sources import load_settings

# Keep-alive in seconds. It is longer than that of proxies and clients (60 and less). With the default of 2, clients
# that ask every two seconds would use connections that are just being closed.
keepalive = 75
control_socket_disable = True  # unused, and the image is read-only
logconfig_dict = log_config(load_settings().log)


def post_fork(server: Arbiter, worker: Worker) -> None:  # noqa: ARG001  gunicorn's signature
    """Disable garbage collection while a worker imports. `freeze_memory` of `wsgi` enables it again."""
    gc.disable()


def when_ready(server: Arbiter) -> None:  # noqa: ARG001  gunicorn's signature
    """Serve the metrics of all workers in the parent."""
    serve_metrics(load_settings().metrics)
