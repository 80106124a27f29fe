"""The command in a process of its own that has nothing to import: forked from one that did."""

import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.support.commands.launching import NURSERY, launch_from, launch_really

FORKER = Path(__file__).with_name("forker.py")
LONGEST = 900  # seconds of a command on a busy host
ROOM = " " * 1000  # for the command lines of those that are forked

_one_at_a_time = threading.Lock()


def run_forked(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path, stdin: str, *, inside: int | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end, as `subprocess.run` does with a program; the first of the arguments is its name.

    inside: a process in namespaces of its own, whose disks and rights it has as well.
    """
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode())
        given.seek(0)
        request = pickle.dumps((list(arguments), dict(environment), str(folder), inside))
        with _one_at_a_time:
            socket.send_fds(_forker(), [request], [file.fileno() for file in (given, out, err)])
            status = _status(_answer())
        for file in (out, err):
            file.seek(0)
        return subprocess.CompletedProcess([*arguments], status, out.read().decode(), err.read().decode())


@pytest.fixture(scope="module")
def nursery() -> Iterator[None]:
    """What this process starts of the product's programs has nothing to import either. For tests of what programs do,
    or of their death; those of how one starts do without.
    """
    launch_from(_nursery)
    yield
    launch_really()


@cache
def _nursery() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs, _one_at_a_time:
        socket.send_fds(_forker(), [NURSERY], [theirs.fileno()])
        _answer()
    return ours


def _status(pid: int) -> int:
    try:
        return _answer()
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        _answer()
        raise


def _answer() -> int:
    return int(pickle.loads(_forker().recv(1 << 10)))


@cache
def _forker() -> socket.socket:
    """Our end of its socket; it ends when that is closed, at the latest with us."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen([sys.executable, "-I", FORKER, str(theirs.fileno()), ROOM], pass_fds=[theirs.fileno()])
    ours.settimeout(LONGEST)
    return ours
