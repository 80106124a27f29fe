"""What gunicorn does beside serving: `gunicorn --config python:wenhen.processes.gunicorn_config`."""

from gunicorn.arbiter import Arbiter

from wenhen.settings import load
from wenhen.telemetry.logs import log_config
from wenhen.telemetry.serving import serve

control_socket_disable = True  # nobody steers it, and the image is read-only
logconfig_dict = log_config(load().log)


def when_ready(server: Arbiter) -> None:  # noqa: ARG001  gunicorn's signature
    """The parent tells of all its workers."""
    serve(load().metrics)
