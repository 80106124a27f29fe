"""Servers whose addresses are given are used instead of embedded ones; one that is not there is said in one line."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pymongo
import pytest
import redis

from tests.support.commands.command import Command
from tests.support.local_site import served
from tests.support.way import made_page, made_text
from wenhen.runtime.embedded.servers import ServerAddresses, read_server_states, throwaway_servers

RIVER = made_text("river")


@pytest.fixture(scope="module")
def given() -> Iterator[ServerAddresses]:
    """Servers that are not the data folder's own."""
    with throwaway_servers() as addresses:
        yield addresses


@pytest.fixture
def wenhen(given: ServerAddresses, tmp_path: Path) -> Iterator[Command]:
    database = f"test_{uuid4().hex}"
    with redis.Redis.from_url(given.redis_url) as client:
        client.flushall()
    yield Command(
        tmp_path / "home",
        tmp_path / "data",
        {
            "WENHEN_MONGO_URL": given.mongo_url,
            "WENHEN_MONGO_DATABASE": database,
            "WENHEN_REDIS_URL": given.redis_url,
        },
    )
    with pymongo.MongoClient[dict[str, object]](given.mongo_url) as client:
        client.drop_database(database)


def nowhere() -> int:
    """A port of this machine where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_the_chain_runs_on_given_servers_and_nothing_is_started(wenhen: Command, tmp_path: Path) -> None:
    (tmp_path / "river.txt").write_text(RIVER, encoding="utf-8")
    assert len(wenhen.json("works", "import", "--no-wait", tmp_path / "river.txt")["new"]) == 1
    with served({"/": ("text/html; charset=utf-8", made_page("转载", RIVER))}) as site:
        wenhen.run("sites", "add", f"{site}/", "--internal", "--id", "local")
        wenhen.run("crawl", "local")
        [case] = wenhen.json("cases", "list")
        assert (case["page_url"], case["work_title"]) == (f"{site}/", "river")
    [finding] = wenhen.run("scan", "-", "--json", stdin=RIVER).stdout.splitlines()
    assert json.loads(finding)["share_of_page"] > 0.99
    told = wenhen.json("doctor", status=1)  # workers of given servers are somebody's to run, and none do
    assert told["addresses"]["mongo"] == wenhen.variables["WENHEN_MONGO_URL"]
    assert not any(server.answers for server in read_server_states(wenhen.data).values())
    files = {path.name for path in wenhen.data.iterdir()}
    assert files - {"phrases"} == {"log", "warc", "letters"}, "no server's files"  # phrases come when there is time


@pytest.mark.parametrize(
    ("variable", "scheme", "who"),
    [("WENHEN_MONGO_URL", "mongodb", "MongoDB"), ("WENHEN_REDIS_URL", "redis", "Redis")],
)
def test_an_address_where_no_server_is_ends_the_command_in_one_line_without_the_password(
    wenhen: Command, variable: str, scheme: str, who: str
) -> None:
    port = nowhere()
    wenhen.variables[variable] = f"{scheme}://user:geheim@127.0.0.1:{port}/"
    refusal = wenhen.refusal("index", "stats")
    assert who in refusal
    assert f"127.0.0.1:{port}" in refusal
    told = wenhen.run("doctor", status=1)
    assert f"127.0.0.1:{port}" in told.stderr
    assert "geheim" not in refusal + told.stdout + told.stderr


def test_an_address_that_is_none_is_refused(wenhen: Command) -> None:
    wenhen.variables["WENHEN_MONGO_URL"] = "here://there"
    assert "WENHEN_MONGO_URL" in wenhen.refusal("works", "list")
    wenhen.variables["WENHEN_MONGO_URL"] = "mongodb://127.0.0.1:99999/"
    assert "WENHEN_MONGO_URL" in wenhen.refusal("works", "list")
