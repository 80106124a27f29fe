"""Whether the Redis of a data folder answers is asked without a client."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from wenhen.runtime.embedded.data_folder import DataFolder
from wenhen.runtime.embedded.server_programs import RedisServer


@contextmanager
def saying(answer: bytes, place: Path) -> Iterator[None]:
    """Somebody who takes one question there and says this."""

    def serve() -> bytes:
        connection, _ = listening.accept()
        with connection:
            asked = connection.recv(100)
            connection.sendall(answer)
            return asked

    with socket.socket(socket.AF_UNIX) as listening, ThreadPoolExecutor(1) as pool:
        listening.bind(str(place))
        listening.listen()
        asked = pool.submit(serve)
        yield
        assert asked.result() == b"PING\r\n"


@pytest.mark.parametrize(
    ("answer", "does"), [(b"+PONG\r\n", True), (b"-LOADING it reads its file\r\n", False), (b"", False)]
)
def test_it_answers_once_it_has_read_its_file(tmp_path: Path, answer: bytes, does: bool) -> None:
    server = RedisServer(DataFolder(tmp_path, tmp_path))
    with saying(answer, server.socket):
        assert server.answers(5.0) is does


def test_it_does_not_where_nobody_listens(tmp_path: Path) -> None:
    assert not RedisServer(DataFolder(tmp_path, tmp_path)).answers(5.0)
