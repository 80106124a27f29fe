"""The likeliest faults of an installation are each made, and the doctor finds them and says what to do."""

import json
import os
import resource
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import redis
from click.testing import CliRunner

from tests.support.commands.commanding import command_on
from tests.support.way import made_text, store_work
from wenhen.cli.main import main
from wenhen.crawls.model import RunKind
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import Step, Subject, SubjectKind
from wenhen.operations.health import check_health
from wenhen.runtime.diagnosis import (
    Fault,
    find_dead_servers,
    find_few_files,
    find_mongo_faults,
    find_old_processor,
    find_redis_faults,
    find_settings_faults,
    find_unkept_code,
    find_unknown_variables,
    find_unwritable_data,
    find_work_faults,
)
from wenhen.runtime.embedded.server_binaries import find_redis_server
from wenhen.runtime.embedded.servers import ServerAddresses, read_server_states, start_servers, stop_servers
from wenhen.runtime.settings_sources import Settings, load_settings
from wenhen.runtime.wiring import App

HOUR = timedelta(hours=1)
NOWHERE = "redis://:geheim@127.0.0.1:1/0"


def codes(*faults: Fault) -> set[str]:
    """What they are; each has its sentence in both languages."""
    for fault in faults:
        assert fault.said.text("zh") != fault.said.text("en")
    return {fault.said.code.removeprefix("doctor.") for fault in faults}


def of_work(app: App, **time: float) -> set[str]:
    """The faults of the work, so much later."""
    now = app.now() + timedelta(**time)
    then = replace(app, now=lambda: now)
    return codes(*find_work_faults(then, check_health(then), embedded=False))


# The machine and the settings.


def test_a_variable_that_is_no_setting_is_named() -> None:
    [fault] = find_unknown_variables({"WENHEN_CRAWLER_DELAYS": "3", "WENHEN_MONGO_URL_FILE": "/x", "PATH": "/bin"})
    assert fault.said.figures["names"] == "WENHEN_CRAWLER_DELAYS"
    assert not fault.stops


def test_a_data_folder_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o500)
    if os.geteuid() == 0:  # who may write anywhere
        monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert codes(*find_unwritable_data(load_settings(data=tmp_path / "data"))) == {"data_not_writable"}


def test_a_system_on_which_compiled_code_cannot_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert codes(*find_unkept_code(os.environ)) == set()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert codes(*find_unkept_code(os.environ)) == {"code_not_kept"}


def test_a_processor_that_is_older_than_the_image(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("flags\t: fpu avx movbe\n", encoding="utf-8")
    [fault] = find_old_processor({"NUMBA_CPU_NAME": "x86-64-v3"}, cpuinfo)
    assert fault.stops
    assert "avx2" in str(fault.said)


def test_a_process_that_may_open_few_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
    try:
        assert codes(*find_few_files()) == {"few_files"}
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(
    ("sections", "code"),
    [
        ({}, "no_contact"),
        ({"dashboard": {"host": "0.0.0.0"}}, "no_secret_key"),
        ({"dashboard": {"host": "0.0.0.0"}}, "no_proxy"),
        ({"crawler": {"browser": "/nowhere/chromium"}}, "no_browser"),
    ],
)
def test_settings_that_leave_something_open(sections: dict[str, dict[str, str]], code: str) -> None:
    assert code in codes(*find_settings_faults(load_settings(**sections)))


def test_traces_without_the_package_that_makes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    settings = load_settings(tracing={"endpoint": "http://127.0.0.1:4318/v1/traces"})
    assert "no_tracing" in codes(*find_settings_faults(settings))


# The servers.


def addressed(servers: ServerAddresses, **urls: str) -> Settings:
    mongo = {"url": urls.get("mongo", servers.mongo_url), "database": f"doctor_{uuid4().hex[:8]}"}
    return load_settings(
        mongo=mongo, redis={"url": urls.get("redis", servers.redis_url)}, index={"url": urls.get("index")}
    )


def test_a_mongodb_that_is_silent(servers: ServerAddresses) -> None:
    settings = addressed(servers, mongo="mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100")
    [fault] = find_mongo_faults(settings)
    assert fault.stops
    assert "Start it" in str(fault.said)


def test_a_redis_and_an_index_that_are_silent_are_each_told_without_their_passwords(servers: ServerAddresses) -> None:
    queue, index = find_redis_faults(addressed(servers, redis=NOWHERE, index=NOWHERE))
    assert codes(queue, index) == {"redis_silent"}
    assert "WENHEN_REDIS_URL" in str(queue.said)
    assert "WENHEN_INDEX_URL" in str(index.said)
    assert "geheim" not in f"{queue.said} {index.said}"


@pytest.fixture(scope="module")
def careless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Redis that forgets, throws away, is full, and wants a password: `default` has `right`."""
    folder = tmp_path_factory.mktemp("careless")
    program = find_redis_server()
    server = subprocess.Popen(
        [
            *(str(program.path), "--port", "0", "--unixsocket", str(folder / "s"), "--dir", str(folder)),
            *("--requirepass", "right", "--maxmemory", "1mb", "--maxmemory-policy", "allkeys-lru", "--save", ""),
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        url = f"unix://:right@{folder}/s"
        for _ in range(100):
            try:
                redis.Redis.from_url(url).ping()
                break
            except redis.ConnectionError:
                server.poll()
        yield str(folder / "s")
    finally:
        server.kill()
        server.wait()


def test_a_redis_that_loses_or_throws_away_what_it_holds(careless: str) -> None:
    settings = load_settings(redis={"url": f"unix://:right@{careless}"})
    assert codes(*find_redis_faults(settings)) >= {"redis_evicts", "redis_not_kept", "redis_full"}


def test_a_redis_that_refuses_the_password(careless: str) -> None:
    assert codes(*find_redis_faults(load_settings(redis={"url": f"unix://:wrong@{careless}"}))) == {"redis_login"}


def test_clocks_that_are_apart(servers: ServerAddresses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wenhen.runtime.diagnosis.time.time", lambda: 0.0)
    assert "clock_skew" in codes(*find_redis_faults(addressed(servers)))


def test_an_embedded_server_that_died_and_one_that_was_ended(tmp_path: Path) -> None:
    start_servers(tmp_path, mongo=False)
    pid = read_server_states(tmp_path)["redis"].pid
    assert pid
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    assert codes(*find_dead_servers(read_server_states(tmp_path))) == {"server_died"}
    stop_servers(tmp_path)
    assert codes(*find_dead_servers(read_server_states(tmp_path))) == set()


def test_with_both_servers_dead_the_doctor_ends_with_1_and_tells_of_both(tmp_path: Path) -> None:
    dead = ServerAddresses("mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100", NOWHERE)
    environment = {"WENHEN_MONGO_URL": dead.mongo_url, "WENHEN_REDIS_URL": NOWHERE, "WENHEN_DATA": str(tmp_path)}
    done = CliRunner(env=environment).invoke(main, ["doctor", "--json"])
    assert done.exit_code == 1
    told = json.loads(done.stdout)["missing"]
    assert any("MongoDB" in one for one in told)
    assert any("Redis" in one for one in told)


def test_on_a_data_folder_that_cannot_be_used_the_doctor_ends_with_1_and_names_it() -> None:
    done = CliRunner().invoke(main, ["--data", "/proc/wenhen", "doctor", "--json"])  # not even root writes there
    assert done.exit_code == 1
    told = json.loads(done.stdout)["missing"]
    assert any("/proc/wenhen" in one and "--data" in one for one in told)


# The work.


def test_no_worker_and_after_a_while_no_clock(app: App) -> None:
    assert "health.no_worker" in of_work(app)
    assert "health.no_sweep" in of_work(app, minutes=5)


def test_an_index_that_is_missing(app: App) -> None:
    redis.Redis.from_url(app.settings.index.url or "").flushdb()
    assert any(code.startswith("index.") for code in of_work(app))


def test_a_disk_that_is_nearly_full(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wenhen.operations.health.MIN_FREE_SHARE", 1.1)
    assert "disk_full" in of_work(app)


def test_records_and_messages_that_wait_too_long(app: App) -> None:
    store_work(app, "river", made_text("river"))
    assert of_work(app, hours=1) >= {"record_waits", "queue_piles_up"}


def test_records_that_were_set_aside(app: App) -> None:
    store_work(app, "river", made_text("river"))
    claim = app.store.works.claim("river", Step.FINGERPRINT, HOUR)
    assert claim
    app.store.works.set_aside(claim, plain_message("the segment is damaged"))
    assert "set_aside" in of_work(app)


def test_a_crawl_that_failed(app: App) -> None:
    subject = Subject(SubjectKind.ADDRESS, "http://a.test/")
    run = app.store.runs.start(RunKind.CRAWL, subject, app.now())
    app.store.runs.end(run.id, app.now(), {}, plain_message("refused"))
    assert "crawl_failed" in of_work(app)


def test_a_healthy_installation_is_told_what_runs(servers: ServerAddresses, redis_url: str, tmp_path: Path) -> None:
    with command_on(servers, redis_url, tmp_path) as (run, _):
        told = json.loads(run("doctor", "--json").stdout)
    assert told["servers"]["MongoDB"]["answers"]
    assert any("contact" in one for one in told["advice"])
