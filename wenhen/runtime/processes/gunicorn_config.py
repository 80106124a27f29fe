"""Configure gunicorn."""

import gc

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

from wenhen.runtime.monitoring import log_config, serve_metrics
from wenhen.runtime.settings import load_settings

# Seconds that a connection may rest: longer than proxies and programs keep theirs (60 and less). With gunicorn's 2
# whoever asks every two seconds would meet connections that close at that very moment.
keepalive = 75
control_socket_disable = True  # nobody steers it, and the image is read-only
logconfig_dict = log_config(load_settings().log)


def post_fork(server: Arbiter, worker: Worker) -> None:  # noqa: ARG001  gunicorn's signature
    """What a worker now imports stays: no looking for garbage until it serves (`freeze_memory` of `wsgi`)."""
    gc.disable()


def when_ready(server: Arbiter) -> None:  # noqa: ARG001  gunicorn's signature
    """The parent tells of all its workers."""
    serve_metrics(load_settings().metrics)
