"""Programs of ours that a process of the tests starts, forked from one that has imported what they import.

To the process that starts it the program is what `subprocess.Popen` makes: a child of its own, with its command line,
environment, folder, files, session and number, that can be killed and dies with its parent. Another process forks it,
the nursery, which is a child of the starter's as well; the program is handed on to the starter by the kernel, as the
orphan of a process in between (PR_SET_CHILD_SUBREAPER, prctl(2)). Linux only; elsewhere programs start as always.
"""

import atexit
import ctypes
import inspect
import os
import pickle
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NoReturn

from crawler.sandbox import child_process
from wenhen.cli.main import main
from wenhen.kit.python_process import python_command
from wenhen.runtime.processes import parent_death_signal

LARGEST: Final = 1 << 20  # bytes of a request
NURSERY: Final = b"nursery"
MOST_FILES: Final = 1 << 16
PROGRAM: Final = str(Path(sys.executable).with_name("wenhen"))  # where `make setup` puts it
FRONTIER_RUNNER: Final = str(Path(__file__).parents[1] / "crawls" / "frontier_runner.py")
CODE: Final = "-c"
WORKER_OF_XDIST: Final = (sys.executable, "-u", CODE, "import sys;exec(eval(sys.stdin.readline()))")
CRAWLS: Final = tuple(f"wenhen.runtime.processes.{name}_process" for name in ("crawl", "survey"))
# The command line up to the arguments, and the module, the script, or that it is code.
PROGRAMS: Final = {
    (PROGRAM,): None,
    (sys.executable, FRONTIER_RUNNER): FRONTIER_RUNNER,
    (sys.executable, "-m", "celery"): "celery",
    WORKER_OF_XDIST: CODE,
    python_command("wenhen.pipeline.isolated_program", "celery"): "wenhen.pipeline.isolated_program",
    **{python_command(module): module for module in (child_process.__name__, *CRAWLS)},
}
LAUNCHER: Final = (sys.executable, "-I", "-S", parent_death_signal.__file__)
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_really: Final = subprocess.Popen._execute_child  # type: ignore[attr-defined]
_FIELDS: Final = inspect.signature(_really)


@dataclass(frozen=True)
class Launch:
    """A program to become."""

    command: Sequence[str]  # as others see it
    module: str | None  # or a script, or that it is code; None: the command `wenhen`
    niceness: int | None  # None: it does not die with its parent
    environment: dict[str, str]
    folder: str
    parent: int
    session: bool  # of its own
    group: int  # as setpgid(2) takes it; -1: that of the parent


def launch_of(fields: Mapping[str, Any]) -> Launch | None:
    """What `Popen` is to start, if the nursery can become that."""
    if isinstance(fields["args"], str | bytes):
        return None
    niceness, command = None, tuple(os.fspath(word) for word in fields["args"])
    if command[: len(LAUNCHER)] == LAUNCHER:
        niceness, command = int(command[5]), command[6:]
    for program, module in PROGRAMS.items():
        if command[: len(program)] == program:
            return Launch(
                command,
                module,
                niceness,
                environment=dict(os.environ if fields["env"] is None else fields["env"]),
                folder=os.fspath(fields["cwd"] or Path.cwd()),
                parent=os.getpid(),
                session=fields["start_new_session"],
                group=fields["process_group"],
            )
    return None


def launch_from(nursery: Callable[[], socket.socket]) -> None:
    """From now on let this nursery, asked for at the first of them, fork what this process starts of such programs."""
    if sys.platform != "linux":
        return
    one_at_a_time = threading.Lock()

    def execute(self: "subprocess.Popen[Any]", *given: Any) -> None:
        fields = _FIELDS.bind(self, *given).arguments
        launch = launch_of(fields)
        if launch is None:
            _really(self, *given)
            return
        files = [fields[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        with one_at_a_time:
            _prctl(_PR_SET_CHILD_SUBREAPER, 1)
            try:
                files = [number if file == -1 else file for number, file in enumerate(files)]
                at = nursery()
                socket.send_fds(at, [pickle.dumps(launch)], files)
                self.pid = pickle.loads(at.recv(LARGEST))
            finally:
                _prctl(_PR_SET_CHILD_SUBREAPER, 0)
        self._child_created = True  # type: ignore[attr-defined]
        pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        self._close_pipe_fds(*(fields[name] for name in pipes))  # type: ignore[attr-defined]

    subprocess.Popen._execute_child = execute  # type: ignore[attr-defined]


def launch_really() -> None:
    """From now on start programs as always."""
    subprocess.Popen._execute_child = _really  # type: ignore[attr-defined]


def nursery() -> socket.socket:
    """Fork one from this process as it is; our end of its socket. It ends when that is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if not os.fork():
        ours.close()
        os.closerange(3, theirs.fileno())
        os.closerange(theirs.fileno() + 1, MOST_FILES)
        tend(theirs)
    theirs.close()
    return ours


def tend(parent: socket.socket) -> NoReturn:
    """Be a nursery until the parent is gone; in a forked program run it to its end."""
    while True:
        request, files, _, _ = socket.recv_fds(parent, LARGEST, 3)
        if not request:
            os._exit(0)
        reader, writer = os.pipe()
        between = os.fork()
        if not between:
            if program := os.fork():
                os.write(writer, pickle.dumps(program))
                os._exit(0)
            parent.close()
            _run(pickle.loads(request), files)
        for file in (writer, *files):
            os.close(file)
        os.waitpid(between, 0)  # now the program is the parent's
        parent.send(os.read(reader, LARGEST))
        os.close(reader)


def _run(launch: Launch, files: list[int]) -> NoReturn:
    _name(launch.command)
    if launch.session:
        os.setsid()
    if launch.group >= 0:
        os.setpgid(0, launch.group)
    while os.getppid() != launch.parent:
        time.sleep(0.001)
    if launch.niceness is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        os.nice(launch.niceness)
    if launch.module is None:
        run_command(launch.command, launch.environment, launch.folder, files)
    become(launch.environment, launch.folder, files)
    sys.argv = ["", *launch.command[launch.command.index(launch.module) + 1 :]]
    _run_to_the_end(partial(_program, launch.module, launch.command[-1]))


def _program(module: str, code: str) -> None:
    if module == CODE:
        sys.modules["__main__"] = main_module = ModuleType("__main__")
        exec(code, vars(main_module))
    elif module.endswith(".py"):
        runpy.run_path(module, run_name="__main__")
    else:
        sys.modules.pop(module, None)
        runpy.run_module(module, run_name="__main__", alter_sys=True)


def _run_to_the_end(program: Callable[[], object]) -> NoReturn:
    """Run it and end as a program does, but for taking apart all that was imported before the fork: a quarter of a
    second of a processor, and a copy of each page of memory that it lies in.
    """
    status: Any = 0
    try:
        program()
    except SystemExit as error:
        status = error.code
        if status is not None and not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
    except BaseException:  # noqa: BLE001  whatever ends a program
        traceback.print_exc()
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]  # threads that are no daemons
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status or 0)


def run_command(command: Sequence[str], environment: dict[str, str], folder: str, files: Sequence[int]) -> NoReturn:
    """Be the command `wenhen`, with a nursery for what it starts."""
    own = nursery()
    become(environment, folder, files, keep=own.fileno())
    launch_from(lambda: own)
    sys.argv = list(command)
    _run_to_the_end(main)


def become(environment: dict[str, str], folder: str, files: Sequence[int], keep: int | None = None) -> None:
    """Take on what a program is given, as one that was just started."""
    for number, file in enumerate(files):
        os.dup2(file, number)
    if keep is None:
        os.closerange(len(files), MOST_FILES)
    else:
        os.closerange(len(files), keep)
        os.closerange(keep + 1, MOST_FILES)
    for number, name in enumerate(("stdin", "stdout", "stderr")):  # anew, since files are not written as pipes are
        old = getattr(sys, name)
        opened = open(number, old.mode, old.line_buffering or -1, old.encoding, old.errors, closefd=False)  # noqa: SIM115  for good
        setattr(sys, name, opened)
        setattr(sys, f"__{name}__", opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # the environment says it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _name(command: Sequence[str]) -> None:
    """Let others see this command line, in the place of our own (proc(5))."""
    fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    start, end = int(fields[45]), int(fields[46])
    name = b"".join(word.encode() + b"\0" for word in command)
    ctypes.memmove(start, name[: end - start].ljust(end - start, b"\0"), end - start)
