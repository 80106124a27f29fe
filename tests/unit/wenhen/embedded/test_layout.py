"""Where the servers of a data folder live."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenhen.kit.errors import SetupError
from wenhen.runtime.embedded.data_folder import data_folder_layout, make_data_folders


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a path shorter than those that pytest makes."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


@given(st.lists(st.text("ab文痕 %", min_size=1, max_size=30).filter(lambda part: part.strip(".")), max_size=8))
def test_the_path_of_every_socket_fits_a_unix_address(parts: list[str]) -> None:
    sockets = data_folder_layout(Path("/", *parts)).sockets
    assert len(os.fsencode(sockets / "mongodb-27999.sock")) <= 103


def test_sockets_are_in_the_data_folder_where_its_path_is_short() -> None:
    assert data_folder_layout(Path("/srv/wenhen")).sockets == Path("/srv/wenhen/run")


def test_two_names_of_one_folder_have_one_layout(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert data_folder_layout(tmp_path / "link") == data_folder_layout(tmp_path / "real" / ".." / "real")


def test_a_short_folder_once_chosen_is_found_again_elsewhere(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command run by cron has another XDG_RUNTIME_DIR, and must find the same servers."""
    data, runtime = short / ("长" * 40), short / "r"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    made = make_data_folders(data)
    assert made.sockets.parent == runtime
    assert made.sockets.stat().st_mode & 0o777 == 0o700
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert data_folder_layout(data) == make_data_folders(data) == made


def test_a_short_folder_whose_place_is_gone_is_chosen_anew(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, runtime, other = short / ("长" * 40), short / "r", short / "o"
    runtime.mkdir()
    other.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    make_data_folders(data).sockets.rmdir()
    runtime.rmdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(other))
    assert make_data_folders(data).sockets.parent == other
    assert data_folder_layout(data).sockets.parent == other


def test_a_short_folder_that_others_could_enter_is_refused(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    data = short / ("长" * 40)
    data_folder_layout(data).sockets.mkdir(mode=0o777)
    data_folder_layout(data).sockets.chmod(0o777)
    with pytest.raises(SetupError, match="belongs to somebody else"):
        make_data_folders(data)


@pytest.mark.parametrize("record", [b"", b"run", b"\xff\xfe", b"/" + b"a" * 200])
def test_a_damaged_record_of_the_short_folder_is_written_anew(short: Path, record: bytes) -> None:
    data = short / ("长" * 40)
    made = make_data_folders(data)
    (data / "run" / "sockets-are-in").write_bytes(record)
    assert make_data_folders(data) == made
    assert (data / "run" / "sockets-are-in").read_text() == str(made.sockets)
    made.sockets.rmdir()


def test_looking_makes_nothing(tmp_path: Path) -> None:
    data_folder_layout(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []
