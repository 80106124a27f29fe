"""pycurl's libcurl in the place of the system's."""

import subprocess
from pathlib import Path

import pytest

from wenhen.kit.errors import SetupError
from wenhen.runtime.embedded.server_binaries import (
    find_mongod,
    libcurl_environment,
    libcurl_wheel_folder,
    probe_program,
)


def mongod(shim: Path) -> Path:
    try:
        return find_mongod(shim).path
    except SetupError as error:
        pytest.skip(f"no mongod here: {error}")


@pytest.fixture
def libraries() -> Path:
    found = libcurl_wheel_folder()
    if found is None:
        pytest.skip("pycurl did not come as a wheel here")
    return found


def test_mongod_loads_the_libcurl_of_pycurl(tmp_path: Path, libraries: Path) -> None:
    environment = libcurl_environment(tmp_path / "shim")
    assert environment
    program = mongod(tmp_path / "mongod")
    linked = subprocess.run(
        [str(program)],
        env={**environment, "LD_TRACE_LOADED_OBJECTS": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"libcurl.so.4 => {tmp_path}/shim/libcurl.so.4" in linked
    assert "not found" not in linked
    found = probe_program(program, minimum=(6, 0), help="", environment=environment)
    assert found.version >= (6, 0)


def test_the_link_is_made_anew_when_the_wheel_moved(tmp_path: Path, libraries: Path) -> None:
    (tmp_path / "libcurl.so.4").symlink_to("/gone/libcurl-0123.so.4.8.0")
    libcurl_environment(tmp_path)
    assert (tmp_path / "libcurl.so.4").resolve().parent == libraries.resolve()


def test_the_callers_own_library_path_is_kept(tmp_path: Path, libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/mine:/yours")
    assert libcurl_environment(tmp_path) == {"LD_LIBRARY_PATH": f"{tmp_path}:{libraries}:/mine:/yours"}


def test_a_pycurl_built_from_source_has_none_to_offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pycurl").mkdir()
    (tmp_path / "pycurl" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "pycurl", raising=False)
    assert libcurl_wheel_folder() is None
    assert libcurl_environment(tmp_path / "shim") is None
