"""Throw-away servers end with those who use them."""

import subprocess
import sys
from pathlib import Path

import psutil
import pymongo
import pytest

from tests.support.way import wait_for
from wenhen.kit.errors import SetupError
from wenhen.runtime.embedded.servers import throwaway_servers

ROOT = Path(__file__).parents[3]
OWNER = """
import time
from wenhen.runtime.embedded.servers import throwaway_servers
with throwaway_servers():
    print('ready', flush=True)
    time.sleep(600)
"""


def servers_under(folder: Path) -> list[int]:
    return [
        process.pid
        for process in psutil.process_iter(["cmdline", "status"])
        if any(argument.startswith(str(folder)) for argument in process.info["cmdline"] or [])
        and process.info["status"] != psutil.STATUS_ZOMBIE
    ]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_they_answer_inside_and_are_gone_afterwards(temporary: Path) -> None:
    with throwaway_servers() as addresses:
        with pymongo.MongoClient[dict[str, object]](addresses.mongo_url) as client:
            assert client.admin.command("ping")["ok"]
        assert len(servers_under(temporary)) == 3, "two servers and the one who watches the owner"
    assert servers_under(temporary) == []
    assert list(temporary.iterdir()) == []


def test_an_exception_ends_them_too(temporary: Path) -> None:
    with pytest.raises(ZeroDivisionError), throwaway_servers(mongo=False):
        raise ZeroDivisionError
    assert servers_under(temporary) == []
    assert list(temporary.iterdir()) == []


def test_servers_that_cannot_be_had_leave_nothing_behind(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WENHEN_MONGOD", "/nowhere/mongod")
    with pytest.raises(SetupError, match="WENHEN_MONGOD names /nowhere/mongod"), throwaway_servers():
        pass
    assert servers_under(temporary) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("depth", ["", "a-long-way-down/" * 6])
def test_they_end_when_their_owner_is_killed(temporary: Path, monkeypatch: pytest.MonkeyPatch, depth: str) -> None:
    folder = temporary / depth
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("TMPDIR", str(folder))
    owner = subprocess.Popen([sys.executable, "-c", OWNER], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    assert owner.stdout.readline() == "ready\n"
    assert len(servers_under(folder)) == 3
    owner.kill()
    owner.communicate()
    wait_for(lambda: not (servers_under(folder) or any(folder.iterdir())), "the end of servers and files")
