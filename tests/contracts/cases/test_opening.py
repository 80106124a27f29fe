"""The store opens on a real server, makes what it needs, and says clearly what is wrong where it cannot."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pymongo
import pytest

from tests.support.samples import at_once, draft
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import BadInput, SetupError, Unavailable
from wenhen.kit.mongo.codec import Document
from wenhen.kit.mongo.table import OpenDatabase, Table, TableSpec, field_index, prepare_tables
from wenhen.kit.progress import Step
from wenhen.runtime.store import open_store


@contextmanager
def deaf_server(folder: Path) -> Iterator[str]:
    """A server that takes connections and never says a word."""
    path = str(folder / "deaf.sock")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(8)
        yield "mongodb://" + path.replace("/", "%2F")


def test_preparing_again_and_by_many_at_once_changes_nothing(bare_url_and_db: tuple[str, str]) -> None:
    url, database = bare_url_and_db

    def prepare() -> None:
        store = open_store(url, database)
        store.prepare()
        store.close()

    at_once(*[prepare] * 4)
    with pymongo.MongoClient[Document](url) as client:
        before = _described(client, database)
        prepare()
        assert _described(client, database) == before
    assert {"works", "pages", "captures", "fingerprints", "cases", "blobs.files", "blobs.chunks"} <= set(before)


def test_a_schema_or_index_that_changed_is_brought_up_to_date(bare_url_and_db: tuple[str, str]) -> None:
    url, database = bare_url_and_db
    before = TableSpec(name="things", schema={"bsonType": "object", "required": ["_id", "colour"]})
    after = TableSpec(
        name="things", schema={"bsonType": "object", "required": ["_id", "size"]}, indexes=(field_index("size"),)
    )
    with pymongo.MongoClient[Document](url) as client:
        opened = OpenDatabase(client[database], "here")
        prepare_tables(opened, [Table(opened, before)])
        Table(opened, before).insert({"_id": 1, "colour": "青"})
        things = Table(opened, after)
        prepare_tables(opened, [things])
        things.insert({"_id": 2, "size": 5})
        with pytest.raises(BadInput, match="schema"):
            things.insert({"_id": 3, "colour": "青"})
        assert things.update({"_id": 1}, {"$set": {"colour": "绿"}}), "what was there before can still be changed"
        assert "size_1" in client[database]["things"].index_information()


def test_an_index_that_kept_its_name_and_got_other_keys_is_made_anew(bare_url_and_db: tuple[str, str]) -> None:
    url, database = bare_url_and_db
    with pymongo.MongoClient[Document](url) as client:
        opened = OpenDatabase(client[database], url)
        beside = field_index("c")
        for keys in (["a"], ["a", "-b"]):
            named = pymongo.IndexModel([(key.strip("-"), -1 if "-" in key else 1) for key in keys], name="listed")
            declared = TableSpec(name="things", schema={"bsonType": "object"}, indexes=(beside, named))
            prepare_tables(opened, [Table(opened, declared)])
        found = client[database]["things"].index_information()
        assert found["listed"]["key"] == [("a", 1), ("b", -1)]
        assert set(found) == {"_id_", "c_1", "listed"}


def test_an_index_that_was_unique_is_made_anew_as_it_is_declared(bare_url_and_db: tuple[str, str]) -> None:
    url, database = bare_url_and_db
    with pymongo.MongoClient[Document](url) as client:
        opened = OpenDatabase(client[database], url)
        for unique in (True, False):
            declared = TableSpec(
                name="things", schema={"bsonType": "object"}, indexes=(field_index("size", unique=unique),)
            )
            prepare_tables(opened, [Table(opened, declared)])
        assert "unique" not in client[database]["things"].index_information()["size_1"]


def test_documents_are_read_to_the_end_in_batches(bare_url_and_db: tuple[str, str]) -> None:
    url, database = bare_url_and_db
    with pymongo.MongoClient[Document](url) as client:
        opened = OpenDatabase(client[database], "here")
        things = Table(opened, TableSpec(name="things", schema={"bsonType": "object"}))
        for number in range(7):
            things.insert({"_id": number, "even": number % 2 == 0})
        assert [one["_id"] for one in things.each({}, by="_id", batch=3)] == list(range(7))
        assert [one["_id"] for one in things.each({"even": True}, by="_id", batch=2)] == [0, 2, 4, 6]


def test_a_collection_refuses_what_is_no_record_of_its_own(store: Store, mongo_url_and_db: tuple[str, str]) -> None:
    """A write from elsewhere that would break every reader is refused by the server itself."""
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as client, pytest.raises(pymongo.errors.WriteError, match="validation"):
        client[database]["works"].insert_one({"_id": "w1", "title": 5})


def test_the_server_tells_its_version(store: Store) -> None:
    assert int(store.ping().split(".")[0]) >= 6


@pytest.mark.parametrize("url", ["", "http://localhost", "mongodb://", "mongodb://a:b:c"])
def test_an_address_that_cannot_be_used_is_refused_at_once(url: str) -> None:
    with pytest.raises(SetupError, match="WENHEN_MONGO_URL"):
        open_store(url)


def test_a_database_name_that_cannot_be_is_refused(mongo_url_and_db: tuple[str, str]) -> None:
    with pytest.raises(SetupError, match="database"):
        open_store(mongo_url_and_db[0], "a.b")


def test_without_a_server_every_use_says_where_and_what_to_do(tmp_path: Path) -> None:
    missing = str(tmp_path / "no.sock")
    store = open_store(f"mongodb://user:secret@{missing.replace('/', '%2F')}", timeout_ms=200)
    uses: list[Callable[[], object]] = [
        store.prepare,
        store.ping,
        lambda: store.works.get("w1"),
        lambda: store.works.put_all([draft()], note=None, step=Step.FINGERPRINT),
        lambda: store.blobs.get("0" * 64),
        lambda: list(store.pages.ids()),
    ]
    for use in uses:
        with pytest.raises(Unavailable, match="WENHEN_MONGO_URL") as raised:
            use()
        message = str(raised.value)
        assert missing in message
        assert "secret" not in message
        assert "\n" not in message
        assert len(message) < 500
    store.close()


def test_a_server_that_never_answers_is_given_up(tmp_path: Path) -> None:
    with deaf_server(tmp_path) as url:
        store = open_store(url, timeout_ms=300)
        with pytest.raises(Unavailable, match=r"deaf\.sock"):
            store.works.get("w1")
        store.close()


def _described(client: pymongo.MongoClient[Document], database: str) -> dict[str, object]:
    collections = list(client[database].list_collections())
    return {one["name"]: (one["options"], client[database][one["name"]].index_information()) for one in collections}
