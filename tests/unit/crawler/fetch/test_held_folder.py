"""Folders of processes that were killed do not stay behind for ever."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from crawler.rendering.browser import LockedFolder

PREFIX = "wenhen-test-"
PROGRAM = f"""
import sys, time
from crawler.rendering.browser import LockedFolder
folder = LockedFolder("{PREFIX}")
(folder.path / "browser").touch()
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_folder_of_a_killed_process_is_removed_at_the_next_start_and_none_that_is_held(temporary: Path) -> None:
    (temporary / "browser-of-others").mkdir()
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        theirs = Path(other.stdout.readline().strip())
        ours = LockedFolder(PREFIX)
        assert sorted(temporary.iterdir()) == sorted([temporary / "browser-of-others", theirs, ours.path])
        other.send_signal(signal.SIGKILL)
    assert (theirs / "browser").exists()
    last = LockedFolder(PREFIX)
    assert sorted(temporary.iterdir()) == sorted([temporary / "browser-of-others", ours.path, last.path])


def test_a_folder_goes_with_what_holds_it_but_not_with_a_fork_of_that(temporary: Path) -> None:
    folder = LockedFolder(PREFIX)
    path = folder.path
    if not (child := os.fork()):
        del folder
        os._exit(path.exists())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert path.exists()
    del folder
    assert not path.exists()


def test_a_link_of_somebody_else_is_not_followed(temporary: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "kept").touch()
    (temporary / f"{PREFIX}x").symlink_to(elsewhere)
    LockedFolder(PREFIX)
    assert (elsewhere / "kept").exists()
