"""The application works in its servers as a user who is no master of them, made from the files of secrets."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import pymongo
import pytest
import redis

from tests.support.refusals import taken_by_servers
from tests.support.way import capture, made_page, made_text, pairs, store_work, wait_for, work_through
from wenhen.matching.index_rebuild import build_missing_indexes
from wenhen.operations.health import check_health
from wenhen.runtime.embedded.server_binaries import find_mongod, find_redis_server
from wenhen.runtime.processes.database_user import make_database_user
from wenhen.runtime.settings_sources import load_settings
from wenhen.runtime.wiring import open_app

ROOT = Path(__file__).parents[3]


def answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


@pytest.fixture(scope="module")
def urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Servers with the users and rules that the script makes; the application's addresses."""
    folder = tmp_path_factory.mktemp("s")
    secrets = folder / "secrets"
    subprocess.run([ROOT / "docker/make-secrets", secrets], check=True)
    found, root_password = find_mongod(folder / "shim"), (secrets / "mongo_root_password").read_text().strip()
    (folder / "mongo").mkdir()
    mongod = [str(found.path), "--auth", "--dbpath", str(folder / "mongo"), "--bind_ip", str(folder / "m.sock")]
    mongod += ["--unixSocketPrefix", str(folder), "--wiredTigerCacheSizeGB", "0.25"]
    valkey = [
        str(find_redis_server().path),
        "--aclfile",
        str(secrets / "redis_acl"),
        "--port",
        "0",
        "--dir",
        str(folder),
    ]
    valkey += ["--unixsocket", str(folder / "v.sock"), "--save", ""]
    with ExitStack() as stack:
        for command, environment in ((mongod, dict(found.environment)), (valkey, {})):
            server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
            stack.callback(server.wait)
            stack.callback(server.kill)
        url = (secrets / "mongo_url").read_text().strip().replace("mongo:27017", quote(str(folder / "m.sock"), safe=""))
        password = (secrets / "redis_url").read_text().split(":")[2].split("@")[0]
        queues = f"unix://wenhen:{password}@{folder}/v.sock"
        wait_for(lambda: answers(redis.Redis.from_url(queues)), "Redis answers")
        with pymongo.MongoClient[dict[str, object]](f"mongodb://{quote(str(folder / 'm.sock'), safe='')}/") as client:
            client.admin.command("createUser", "root", pwd=root_password, roles=["root"])
        for _ in range(2):  # at each start
            assert make_database_user(url, "wenhen", root="root", root_password=root_password) == "wenhen"
        yield {"mongo": url, "redis": queues}


def test_it_does_its_work_from_a_text_to_a_case_with_these_rights(urls: dict[str, str], tmp_path: Path) -> None:
    app = open_app(load_settings(data=tmp_path, mongo={"url": urls["mongo"]}, redis={"url": urls["redis"]}))
    build_missing_indexes(app)
    store_work(app, "river", made_text("river"))
    capture(app, "http://site.test/a", made_page("转载", made_text("river")))
    work_through(app)
    assert pairs(app) == {("http://site.test/a", "river")}
    assert {name for name, state in check_health(app).items() if not state.answers} == {"workers"}
    app.store.close()


def test_it_is_no_master_and_strangers_are_nothing(urls: dict[str, str]) -> None:
    assert taken_by_servers(urls["mongo"], urls["redis"]) == []
