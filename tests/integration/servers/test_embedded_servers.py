"""Our own mongod and valkey-server in a data folder: started, shared, recovered, ended."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pymongo
import pytest
import redis
from kombu.connection import Connection
from pymongo.errors import PyMongoError
from pymongo.write_concern import WriteConcern

from tests.support.commands.children import ended
from tests.support.way import wait_for
from wenhen.kit.errors import SetupError
from wenhen.runtime.embedded import servers
from wenhen.runtime.embedded.data_folder import data_folder_layout
from wenhen.runtime.embedded.servers import ServerAddresses, read_server_states, start_servers, stop_servers
from wenhen.runtime.embedded.watchdog import RESTART_POLL_SECONDS
from wenhen.settings.servers_and_logs import broker_url

ROOT = Path(__file__).parents[3]
STARTS = """
import sys, json
from dataclasses import asdict
from pathlib import Path
from wenhen.runtime.embedded.servers import read_server_states, start_servers
sys.stdin.readline()
addresses = start_servers(Path(sys.argv[1]))
print(json.dumps([asdict(addresses), [info.pid for info in read_server_states(Path(sys.argv[1])).values()]]))
"""


@pytest.fixture
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("d") / "data"  # short enough for sockets inside of it
    yield folder
    stop_servers(folder)


def pids(data: Path) -> dict[str, int]:
    found = {key: info.pid for key, info in read_server_states(data).items()}
    return {key: pid for key, pid in found.items() if pid is not None}


def kill(pid: int) -> None:
    process = psutil.Process(pid)
    process.kill()
    psutil.wait_procs([process], timeout=300)


def write_until_it_is_gone(
    write: Callable[[int], object], errors: tuple[type[Exception], ...], written: list[int]
) -> threading.Thread:
    def run() -> None:
        number = 0
        while True:
            try:
                write(number)
            except errors:
                return
            written.append(number)
            number += 1

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_servers_are_started_shared_and_ended(data: Path) -> None:
    assert not any(info.answers or info.pid for info in read_server_states(data).values())
    first = start_servers(data)
    started = pids(data)
    assert set(started) == {"mongo", "redis"}
    assert start_servers(data) == first
    assert pids(data) == started, "the same processes were used again"
    told = read_server_states(data)
    assert {key: info.name for key, info in told.items()} == {"mongo": "MongoDB", "redis": "Redis"}
    assert all(info.answers and info.version and info.version[0].isdigit() for info in told.values())
    stop_servers(data)
    assert pids(data) == {}
    assert all(ended(pid) for pid in started.values())
    stop_servers(data)


def test_nothing_listens_on_the_network(data: Path) -> None:
    start_servers(data)
    assert [psutil.Process(pid).net_connections("inet") for pid in pids(data).values()] == [[], []]


def test_only_what_is_asked_for_is_started(data: Path) -> None:
    addresses = start_servers(data, mongo=False)
    assert set(pids(data)) == {"redis"}
    assert addresses.mongo_url == ""
    start_servers(data, redis=False)
    assert set(pids(data)) == {"mongo", "redis"}


def test_what_mongod_acknowledged_is_there_after_kill_9(data: Path) -> None:
    written: list[int] = []
    with pymongo.MongoClient[dict[str, object]](start_servers(data).mongo_url, serverSelectionTimeoutMS=500) as client:
        table = client["t"].get_collection("t", write_concern=WriteConcern(w="majority", j=True))
        thread = write_until_it_is_gone(lambda number: table.insert_one({"_id": number}), (PyMongoError,), written)
        wait_for_some(written)
        kill(pids(data)["mongo"])
        thread.join()
        assert not read_server_states(data)["mongo"].answers
        start_servers(data)
        found = {document["_id"] for document in table.find()}
    assert set(written) <= found


def test_what_valkey_acknowledged_is_there_after_kill_9(data: Path) -> None:
    written: list[int] = []
    with redis.Redis.from_url(start_servers(data).redis_url + "?db=3") as client:
        thread = write_until_it_is_gone(
            lambda number: client.rpush("t", number), (redis.RedisError, ConnectionError), written
        )
        wait_for_some(written)
        kill(pids(data)["redis"])
        thread.join()
        start_servers(data)
        found = client.lrange("t", 0, -1)
    assert isinstance(found, list)
    assert set(written) <= {int(number) for number in found}


def wait_for_some(written: list[int]) -> None:
    deadline = time.monotonic() + 60
    while len(written) < 100:
        assert time.monotonic() < deadline, "too few writes"
        time.sleep(0.01)


def test_sockets_and_pid_files_left_by_a_crash_do_no_harm(data: Path) -> None:
    before = start_servers(data)
    first = pids(data)
    for pid in first.values():
        kill(pid)
    assert (data / "run" / "mongod.pid").exists()
    assert (data / "run" / "m.sock").exists()
    assert pids(data) == {}
    assert start_servers(data) == before
    assert len(set(first.values()) | set(pids(data).values())) == 4


def test_two_starts_at_once_get_the_same_servers(data: Path) -> None:
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", STARTS, str(data)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for starter in starters:
        assert starter.stdin is not None
        starter.stdin.write("go\n")
        starter.stdin.flush()
    told = [json.loads(starter.communicate(timeout=600)[0]) for starter in starters]
    assert told[0] == told[1]
    assert told[0][1] == list(pids(data).values()), "the servers outlive those who started them"


@pytest.mark.parametrize("name", ["文痕 数据 %20", "一" * 60])
def test_a_data_folder_may_have_any_name_and_length(tmp_path: Path, name: str) -> None:
    data = tmp_path / name / "data"
    addresses = start_servers(data)
    try:
        assert len(pids(data)) == 2
        use(addresses)
        assert start_servers(data) == addresses
    finally:
        stop_servers(data)
    assert pids(data) == {}
    sockets = data_folder_layout(data).sockets
    assert sockets == data / "run" or not sockets.exists()


def use(addresses: ServerAddresses) -> None:
    with pymongo.MongoClient[dict[str, object]](addresses.mongo_url) as client:
        assert client.admin.command("ping")["ok"]
    with redis.Redis.from_url(addresses.redis_url + "?db=5") as store:
        store.set("a", "b")
        assert store.connection_pool.connection_kwargs["db"] == 5
    with Connection(broker_url(addresses.redis_url + "?db=6")) as broker:  # type: ignore[no-untyped-call]  # kombu types half of itself
        queue = broker.SimpleQueue("q")
        queue.put({"名": "文痕"})
        assert queue.get(timeout=60).payload == {"名": "文痕"}
        queue.close()
    with redis.Redis.from_url(addresses.redis_url + "?db=6") as store:
        assert store.exists("_kombu.binding.q")


def test_a_server_whose_socket_was_removed_is_replaced(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_servers(data, mongo=False)
    lost = pids(data)["redis"]
    (data / "run" / "v.sock").unlink()
    monkeypatch.setattr(servers, "MAX_SOCKETLESS_SECONDS", 0.0)
    start_servers(data, mongo=False)
    assert pids(data)["redis"] != lost
    assert ended(lost)


def test_a_pid_file_that_names_a_process_of_somebody_else_harms_nobody(data: Path) -> None:
    start_servers(data, mongo=False)
    stop_servers(data)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        (data / "run" / "redis.pid").write_text(f"{stranger.pid}\n")
        assert read_server_states(data)["redis"].pid is None
        stop_servers(data)
        assert stranger.poll() is None
        start_servers(data, mongo=False)
        assert pids(data)["redis"] != stranger.pid


@pytest.mark.parametrize("part", ["*.incr.aof", "*.manifest", "*.base.rdb"])
def test_a_redis_whose_files_are_damaged_begins_anew_and_says_so(
    data: Path, part: str, caplog: pytest.LogCaptureFixture
) -> None:
    with redis.Redis.from_url(start_servers(data, mongo=False).redis_url) as client:
        client.set("index", "of before")
    stop_servers(data)
    [file] = (data / "redis" / "appendonlydir").glob(part)
    file.write_bytes(b"no such thing\n" * 5)
    for _ in range(2):  # the second finds what the first began, and nothing to say
        with redis.Redis.from_url(start_servers(data, mongo=False).redis_url) as client:
            assert client.get("index") is None
    [said] = caplog.messages
    assert f"they are in {data / 'redis-damaged'} now" in said
    assert (data / "redis-damaged" / "appendonlydir" / file.name).read_bytes().startswith(b"no such thing")


def test_the_keeper_stays_though_it_cannot_write_its_log_and_the_server_is_back_once_it_can_be(data: Path) -> None:
    data.write_text("in the way of the folder")
    with Path("/dev/full").open("w") as full:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "wenhen.runtime.embedded.watchdog", "restart", str(data), "redis"], stderr=full
        )
    try:
        time.sleep(RESTART_POLL_SECONDS + 2)  # it has said once that the folder cannot be used
        data.unlink()
        wait_for(lambda: read_server_states(data)["redis"].answers, "the server", 30)
        assert keeper.poll() is None, "by the same keeper: another would have come after a pause only"
    finally:
        keeper.terminate()
        keeper.wait()


def test_a_redis_that_cannot_start_for_another_reason_keeps_its_files(data: Path) -> None:
    start_servers(data, mongo=False)
    stop_servers(data)
    socket = data_folder_layout(data).sockets / "v.sock"
    socket.mkdir()
    with pytest.raises(SetupError, match="Redis ended while starting"):
        start_servers(data, mongo=False)
    assert list((data / "redis" / "appendonlydir").glob("*.incr.aof"))
    assert not (data / "redis-damaged").exists()
    socket.rmdir()


def test_damaged_files_of_mongod_are_refused_and_what_was_started_beside_is_ended(data: Path) -> None:
    start_servers(data)
    stop_servers(data)
    (data / "mongo" / "WiredTiger.wt").write_bytes(b"no such thing" * 1000)
    (data / "mongo" / "WiredTiger.turtle").write_bytes(b"no such thing")
    with pytest.raises(SetupError, match=r"MongoDB ended while starting .*mongod\.log") as refusal:
        start_servers(data)
    assert "\n" not in str(refusal.value)
    assert pids(data) == {}


def test_a_server_that_hangs_is_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_servers(data, mongo=False)
    process = psutil.Process(pids(data)["redis"])
    monkeypatch.setattr(servers, "MAX_SERVER_START_SECONDS", 0.5)
    monkeypatch.setattr(servers, "MAX_SERVER_ANSWER_SECONDS", 0.5)
    process.suspend()
    try:
        with pytest.raises(SetupError, match=rf"Redis \(process {process.pid}\) does not answer"):
            start_servers(data, mongo=False)
    finally:
        process.resume()
    assert pids(data) == {"redis": process.pid}, "it was left alone"


def test_a_file_in_the_place_of_the_data_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match=r"data folder .*/file/data cannot be used: Not a directory.*--data"):
        start_servers(tmp_path / "file" / "data")


def test_a_data_folder_without_permission_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    code = (
        "import os, sys; from pathlib import Path; from wenhen.runtime.embedded.servers import start_servers\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"  # permissions do not bind root
        "start_servers(Path(sys.argv[1]))"
    )
    for parent in [tmp_path, *tmp_path.parents][:3]:
        parent.chmod(0o755)  # pytest's folders are closed to others
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder / "data")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "wenhen.kit.errors.SetupError: the data folder" in done.stderr
    assert "Permission denied" in done.stderr


def test_a_disk_with_no_room_is_refused_before_anything_is_started(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 3_000_000})
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
    with pytest.raises(SetupError, match="only 3 MB are free"):
        start_servers(data)
    assert pids(data) == {}


def test_servers_that_answer_are_used_although_the_disk_is_full(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = start_servers(data, mongo=False)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 0}))
    monkeypatch.setattr(Path, "write_bytes", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    assert start_servers(data, mongo=False) == first


def test_no_pid_is_left_as_a_zombie_of_ours_when_a_server_dies(data: Path) -> None:
    start_servers(data, mongo=False)
    killed = pids(data)["redis"]
    os.kill(killed, 9)
    while not ended(killed):
        time.sleep(0.01)
    start_servers(data, mongo=False)
    assert [child for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE] == []
