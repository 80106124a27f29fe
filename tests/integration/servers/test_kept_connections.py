"""The dashboard keeps a connection that rests: a program that asks every few seconds never meets one that closes."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.support.way import wait_for
from wenhen.kit.python_process import python_command

OF_GUNICORN = 2  # seconds that it keeps one by itself, looked after once a second


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """An application served as the dashboard is, by host and port."""
    log = tmp_path / "log"
    with log.open("w") as output:
        server = subprocess.Popen(
            (
                *python_command("wenhen.pipeline.isolated_program", "gunicorn"),
                *("--config", "python:wenhen.runtime.processes.gunicorn_config", "wsgiref.simple_server:demo_app"),
                *("--bind", "127.0.0.1:0", "--worker-class", "gthread", "--threads", "2"),
            ),
            env=os.environ | {"WENHEN_LOG_LEVEL": "INFO"},
            cwd=tmp_path,
            stderr=output,
        )
        try:
            wait_for(lambda: "Listening at: http://" in log.read_text(), "an address")
            yield log.read_text().split("Listening at: http://")[1].split()[0]
        finally:
            server.terminate()
            server.wait(60)


def test_a_connection_is_kept_for_longer_than_programs_and_proxies_leave_it_unused(served: str) -> None:
    with closing(HTTPConnection(served, timeout=60)) as connection:
        for pause in (OF_GUNICORN + 1.5, 0):
            connection.request("GET", "/")
            with connection.getresponse() as answer:
                answer.read()
            time.sleep(pause)
    assert answer.status == 200
