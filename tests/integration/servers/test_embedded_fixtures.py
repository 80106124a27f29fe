"""The fixtures of tests/conftest.py give real servers."""

from collections.abc import Callable
from typing import Any

import pymongo
import redis
from pymongo.write_concern import WriteConcern

from tests.support.servers.databases import Document, lent_database
from wenhen.context.store_and_queue import Store
from wenhen.runtime.embedded.servers import ServerAddresses


def everything(database: Any) -> dict[str, object]:
    """The options, the indexes and the documents of each collection."""
    return {
        one["name"]: (
            one["options"],
            database[one["name"]].index_information(),
            list(database[one["name"]].find()),
        )
        for one in database.list_collections()
    }


def test_a_journaled_majority_write_is_acknowledged(bare_url_and_db: tuple[str, str]) -> None:
    url, database = bare_url_and_db
    with pymongo.MongoClient[dict[str, object]](url) as client:
        table = client[database].get_collection("t", write_concern=WriteConcern(w="majority", j=True))
        table.insert_one({"_id": 1, "名": "文痕"})
        assert table.find_one() == {"_id": 1, "名": "文痕"}


def test_each_test_meets_an_empty_redis_database(servers: ServerAddresses, redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        assert client.config_get("appendfsync") == {"appendfsync": "always"}
    assert redis_url.startswith(servers.redis_url)


def test_a_database_is_lent_as_prepared_whatever_was_done_to_it_before(servers: ServerAddresses) -> None:
    """What one test leaves behind reaches no other."""
    harms: list[Callable[[Any], object]] = [
        lambda database: database["holders"].insert_one({"_id": "left"}, bypass_document_validation=True),
        lambda database: database["marks"].delete_many({}),
        lambda database: database["things"].insert_one({"_id": "new collection"}),
        lambda database: database["cases"].drop_indexes(),
        lambda database: database.command("collMod", "works", validator={}),
    ]
    with pymongo.MongoClient[Document](servers.mongo_url) as client:
        with lent_database(servers.mongo_url) as first, lent_database(servers.mongo_url) as second:
            assert first != second, "two borrowers at a time have one each"
            prepared = everything(client[first])
        for harm in harms:
            with lent_database(servers.mongo_url) as lent, lent_database(servers.mongo_url) as other:
                assert everything(client[lent]) == everything(client[other]) == prepared
                harm(client[lent])
                assert everything(client[lent]) != prepared


def test_the_store_of_production_opens_on_an_empty_database(store: Store) -> None:
    assert store.ping()[0].isdigit()
    assert list(store.works.ids()) == []
