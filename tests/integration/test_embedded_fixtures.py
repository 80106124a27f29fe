"""The fixtures of tests/conftest.py give real servers."""

import pymongo
import redis
from pymongo.write_concern import WriteConcern

from store.ports import Store
from wenhen.embedded import Addresses


def test_a_journaled_majority_write_is_acknowledged(mongo_url_and_db: tuple[str, str]) -> None:
    url, database = mongo_url_and_db
    with pymongo.MongoClient[dict[str, object]](url) as client:
        table = client[database].get_collection("t", write_concern=WriteConcern(w="majority", j=True))
        table.insert_one({"_id": 1, "名": "文痕"})
        assert table.find_one() == {"_id": 1, "名": "文痕"}


def test_each_test_meets_an_empty_redis_database(servers: Addresses, redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        assert client.config_get("appendfsync") == {"appendfsync": "always"}
    assert redis_url.startswith(servers.redis_url)


def test_the_store_of_production_opens_on_an_empty_database(store: Store) -> None:
    assert store.ping()[0].isdigit()
    assert list(store.works.ids()) == []
