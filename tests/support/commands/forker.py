"""A program that has imported what `wenhen` imports, and forks a process for each request that becomes the command.

Argument: the number of a socket of its parent's, of packets. A request is a pickled (arguments, environment, folder)
with three files, which become standard input, output and error; answered by the number of the process, and by its exit
status when it has ended. The program ends with its parent.
"""

import ast
import gc
import importlib
import os
import pickle
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

# Those that tests run again and again. What others import they import themselves, as always.
OFTEN = ("works", "sites", "crawl", "scan", "cases", "index", "report", "doctor")
LARGEST = 1 << 20  # bytes of a request; `tests.support.commands.forked` keeps to it
ALSO = ("wenhen.cli.shared.opening", "wenhen.processes.working_off", "wenhen.processes.workers")


def preload() -> None:
    """Import the commands and what they import only when they run."""
    from fingerprinter.compiled import load_all
    from wenhen.cli.commands import COMMANDS

    for module in (*ALSO, *(COMMANDS[name].module for name in OFTEN)):
        importlib.import_module(module)
        for inner in _imported_later(module):
            importlib.import_module(inner)
    load_all()
    gc.freeze()  # what is shared with the forked stays shared


def _imported_later(module: str) -> Iterator[str]:
    """The modules that a module's functions import."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    for node in ast.walk(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def forked(parent: socket.socket) -> list[str]:
    """Answer requests until the parent is gone; returns in each forked process alone: its arguments."""
    while True:
        request, files, _, _ = socket.recv_fds(parent, LARGEST, 3)
        if not request:
            sys.exit()
        pid = os.fork()
        if not pid:
            parent.close()
            arguments, environment, folder = pickle.loads(request)
            _become(environment, folder, files)
            return list(arguments)
        for file in files:
            os.close(file)
        parent.send(pickle.dumps(pid))
        _, status = os.waitpid(pid, 0)
        parent.send(pickle.dumps(os.waitstatus_to_exitcode(status)))


def _become(environment: dict[str, str], folder: str, files: list[int]) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # the environment says it
    signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__":
    preload()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the tests, which end us
    sys.argv = forked(socket.socket(fileno=int(sys.argv[1])))
    from wenhen.cli import main

    sys.exit(main())
