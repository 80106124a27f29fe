"""All tests imported once, for all processes of pytest-xdist: these are forked from a process that has done it.

Each collects by itself, as always, and finds its modules there: to import them takes most of that. As a program, it is
that process: its argument is the number of a socket of its parent's, at which it is told what to import, and then is a
nursery (`launching`).
"""

import gc
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from _pytest.config import _prepareconfig
from _pytest.pathlib import import_path

ROOM = " " * 1000  # for the command lines of those that are forked


def start(config: pytest.Config) -> socket.socket:
    """Our end of the nursery's socket; it ends when that is closed, at the latest with us."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen([sys.executable, __file__, str(theirs.fileno()), ROOM], pass_fds=[theirs.fileno()])
    ours.send(pickle.dumps((sys.path, [os.fspath(one) for one in config.invocation_params.args])))
    return ours


def import_tests(arguments: Sequence[str]) -> None:
    """Import the tests that a process with these arguments collects, as it does: with assertions that say more."""
    config = _prepareconfig([*arguments, "--capture=no"], None)
    import_module("scrapy.core.downloader.contextfactory")  # from here, where the stack is not deep: see conftest.py
    for file in _files(config.args):
        before = set(sys.modules)
        try:
            import_path(file, mode="importlib", root=config.rootpath, consider_namespace_packages=False)
        except (Exception, SystemExit, pytest.skip.Exception):  # noqa: BLE001  of any test
            # Whoever collects it says so; what it is made of is there.
            for name in set(sys.modules) - before:
                if sys.modules[name].__dict__.get("__file__") == str(file):
                    del sys.modules[name]
    config._ensure_unconfigure()
    # Before its first example Hypothesis looks through all modules. Its assertions, too, are made to say more.
    from hypothesis import find, settings
    from hypothesis.strategies import integers

    find(integers(), bool, settings=settings(database=None))


def _files(arguments: Sequence[str]) -> Iterator[Path]:
    for argument in arguments:
        path = Path(argument.partition("::")[0]).absolute()
        yield from sorted(path.rglob("test_*.py")) if path.is_dir() else [path]


if __name__ == "__main__":
    parent = socket.socket(fileno=int(sys.argv[1]))
    sys.path, asked = pickle.loads(parent.recv(1 << 20))
    from tests.support.commands.launching import tend

    gc.disable()
    with suppress(pytest.UsageError):  # each process says it
        import_tests(asked)
    gc.freeze()  # what is shared stays shared
    tend(parent)
