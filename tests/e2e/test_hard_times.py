"""A server that goes away and a disk that is full, in the middle of a command."""

import json
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands.children import children_with
from tests.support.commands.command import Command
from tests.support.way import CHARACTERS, made_text, wait_for
from wenhen.runtime.embedded.servers import read_server_states, stop_servers

WORKS = 300
SOON = {"WENHEN_WORKER_LEASE_SECONDS": "5", "WENHEN_WORKER_SWEEP_SECONDS": "1"}

pytestmark = [pytest.mark.server, pytest.mark.usefixtures("nursery")]


@pytest.fixture
def wenhen(tmp_path: Path) -> Iterator[Command]:
    yield Command(tmp_path / "home", tmp_path / "data", SOON)
    stop_servers(tmp_path / "data")


@pytest.fixture
def works(tmp_path: Path) -> Path:
    rows = [{"id": f"w{n}", "title": f"第{n}篇", "text": made_text(f"work {n}", 300)} for n in range(WORKS)]
    file = tmp_path / "works.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def cut_short(wenhen: Command, works: Path, server: str) -> str:
    """Start an import, kill a server of its data folder once its workers run; what it says in the end."""
    process = subprocess.Popen(
        wenhen.arguments("works", "import", works), env=wenhen.environment(), stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: children_with("worker@%h", process.pid), "the command's workers")
    pid = read_server_states(wenhen.data)[server].pid
    assert pid
    os.kill(pid, signal.SIGKILL)
    _, told = process.communicate(timeout=600)
    assert process.returncode == 1, told
    assert "Traceback" not in told
    return told.strip().splitlines()[-1]


def test_a_server_that_is_killed_ends_the_import_in_one_line_and_a_later_one_finishes_it(
    wenhen: Command, works: Path
) -> None:
    assert wenhen.json("works", "list") == []
    for server, name in (("mongo", "MongoDB"), ("redis", "Redis")):
        last = cut_short(wenhen, works, server)
        assert last.startswith("Error: ")
        assert name in last
        assert "does not" in last
    again = wenhen.json("works", "import", works)
    assert (again["new"], len(again["unchanged"])) == ([], WORKS), "what was stored before stayed"
    assert wenhen.json("doctor")["works"] == {"done": WORKS}
    assert wenhen.json("index", "verify")["work"]["missing"] == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """A disk of 300 MB that only the process given sees, and who enters its namespaces; its folder."""
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f"mount -t tmpfs -o size=300m tmpfs '{disk}' && echo mounted && exec sleep 3600"
    try:
        holder = subprocess.Popen(
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    except OSError as error:
        pytest.skip(f"a small disk cannot be made here: {error}")
    assert holder.stdout
    assert holder.stderr
    try:
        if holder.stdout.readline() != "mounted\n":
            pytest.skip(f"a small disk cannot be made here: {holder.stderr.read().strip()}")
        yield holder.pid, disk
    finally:
        holder.kill()
        holder.communicate()


def test_a_full_disk_ends_the_import_in_one_line_and_loses_nothing(
    small_disk: tuple[int, Path], works: Path, tmp_path: Path
) -> None:
    holder, disk = small_disk
    wenhen = Command(tmp_path / "home", disk / "data", SOON, inside=holder)
    filler = Path(f"/proc/{holder}/root", *disk.parts[1:], "filler")
    big = tmp_path / "big.txt"
    # 6 MB that no compression makes smaller than half
    big.write_text("".join(random.Random(1).choices(CHARACTERS, k=2_000_000)), encoding="utf-8")

    try:
        assert len(wenhen.json("works", "import", works)["new"]) == WORKS
        filler.write_bytes(bytes(shutil.disk_usage(filler.parent).free - 2_000_000))
        refusal = wenhen.refusal("works", "import", big)
        assert "No space left" in refusal or "does not answer" in refusal or "MB are free" in refusal
        filler.unlink()
        imported = wenhen.json("works", "import", big)
        assert len(imported["new"]) + len(imported["unchanged"]) == 1
        assert wenhen.json("doctor")["works"] == {"done": WORKS + 1}
        assert wenhen.json("index", "verify")["work"]["missing"] == 0
    finally:
        wenhen.run("down")
