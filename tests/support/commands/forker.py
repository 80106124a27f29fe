"""A program that has imported what `wenhen` imports, and forks a process for each request that becomes the command.

Argument: the number of a socket of its parent's, of packets. A request is a pickled (arguments, environment, folder,
process whose disks it sees) with three files, which become standard input, output and error; answered by the number of
the process, and by its exit status when it has ended. An empty one with a socket makes a nursery (`launching`) for the
parent, at that socket. Each command has a nursery of its own. The program ends with its parent.
"""

import ast
import ctypes
import gc
import importlib
import os
import pickle
import signal
import socket
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

ROOT = str(Path(__file__).parents[3])
sys.path.append(ROOT)
from tests.support.commands.launching import CRAWLS, LARGEST, NURSERY, run_command, tend  # noqa: E402

sys.path.remove(ROOT)

CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000

# Those that tests run again and again. What others import they import themselves, as always.
OFTEN = ("works", "sites", "crawl", "scan", "cases", "index", "report", "doctor")
ALSO = ("wenhen.cli.console", "wenhen.runtime.processes.workers")
# Which programs a command starts. They look at the environment as they are imported: only what they import is here.
STARTED = (
    "wenhen.pipeline.tasks",
    "wenhen.pipeline.crawl_tasks",
    "wenhen.pipeline.beat",
    "wenhen.pipeline.isolated_program",
    *CRAWLS,
)
OF_CELERY = (
    *("celery.apps.beat", "celery.apps.worker", "celery.bin.beat", "celery.bin.celery", "celery.bin.worker"),
    *(
        "celery.concurrency.prefork",
        "kombu.transport.redis",
        "wenhen.runtime.celery_worker",
        "wenhen.runtime.celery_pool_fixes",
    ),
)


def preload() -> None:
    """Import the commands and what they import only when they run, and make what most of them need."""
    from crawler.extraction.fonts.plausibility import word_pair_share
    from fingerprinter.compiled import load_all_compiled
    from wenhen.cli.main import COMMANDS

    for module in (*ALSO, *OF_CELERY, *(COMMANDS[name].module for name in OFTEN)):
        importlib.import_module(module)
    for module in (*ALSO, *STARTED, *(COMMANDS[name].module for name in OFTEN)):
        for inner in _imported_by(module):
            if inner not in STARTED:
                importlib.import_module(inner)
    load_all_compiled()
    word_pair_share("")  # by tables that each process that reads pages makes at its first
    gc.freeze()  # what is shared with the forked stays shared


def _imported_by(module: str) -> Iterator[str]:
    """The modules that a module and its functions import."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    for node in ast.walk(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from filter(_is_module, (f"{node.module}.{name.name}" for name in node.names))


def _is_module(name: str) -> bool:
    package = sys.modules.get(name.rpartition(".")[0])
    return hasattr(package, "__path__") and find_spec(name) is not None


def serve(parent: socket.socket) -> NoReturn:
    """Answer requests until the parent is gone."""
    while True:
        request, files, _, _ = socket.recv_fds(parent, LARGEST, 3)
        if not request:
            sys.exit()
        pid = os.fork()
        if not pid:
            parent.close()
            if request == NURSERY:
                tend(socket.socket(fileno=files[0]))
            arguments, environment, folder, inside = pickle.loads(request)
            if inside is not None:
                enter(inside)
            run_command(arguments, environment, folder, files)
        for file in files:
            os.close(file)
        parent.send(pickle.dumps(pid))
        if request == NURSERY:
            continue
        _, status = os.waitpid(pid, 0)
        parent.send(pickle.dumps(os.waitstatus_to_exitcode(status)))


def enter(process: int) -> None:
    """Have the rights that it has, and see the disks that it sees: its namespaces of users and mounts (setns(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(os.pidfd_open(process), CLONE_NEWUSER | CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "setns")


if __name__ == "__main__":
    preload()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the tests, which end us
    serve(socket.socket(fileno=int(sys.argv[1])))
