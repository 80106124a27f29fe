"""What only serves the day's work is dropped by MongoDB after its time; what may be evidence never is."""

import pymongo

from tests.support.samples import NOON
from wenhen.context.store_and_queue import Store
from wenhen.runtime.store import open_store

DAY = 24 * 3600
FORGOTTEN = {
    "sessions": ("ends_at", 0),
    "password_links": ("ends_at", 0),
    "guesses": ("over_at", 0),
    "marks": ("over_at", 0),
    "deliveries": ("made_at", 90 * DAY),
    "letters": ("made_at", 90 * DAY),
    "problems": ("at", 90 * DAY),
    "alerts": ("at", 400 * DAY),
    "runs": ("ended_at", 400 * DAY),
}


def test_nothing_but_this_is_ever_dropped_by_its_age(bare_url_and_db: tuple[str, str]) -> None:
    store = open_store(*bare_url_and_db)
    store.prepare()
    store.close()
    url, name = bare_url_and_db
    with pymongo.MongoClient[dict[str, object]](url) as client:
        found = {
            collection: (index["key"][0][0], index["expireAfterSeconds"], index.get("partialFilterExpression"))
            for collection in client[name].list_collection_names()
            for index in client[name][collection].index_information().values()
            if "expireAfterSeconds" in index
        }
    assert {collection: (field, after) for collection, (field, after, _) in found.items()} == FORGOTTEN
    only = {collection: dict(some) for collection, (_, _, some) in found.items() if some}
    assert only == {"problems": {"where": "crawl"}}, "what an import refused stays until somebody looked at it"


def test_a_mark_that_is_kept_for_some_days_says_until_when(store: Store, mongo_url_and_db: tuple[str, str]) -> None:
    url, name = mongo_url_and_db
    store.marks.set("font:1", {"shown": "a"}, until=NOON)
    store.marks.set("daily", {"day": "2026-03-05"})
    with pymongo.MongoClient[dict[str, object]](url, tz_aware=True) as client:
        found = {
            str(one["_id"]): one.get("over_at") for one in client[name]["marks"].find({"value": {"$exists": True}})
        }
    assert found | {"font:1": NOON, "daily": None} == found
