"""The shard keys of docs/scaling.md: what the steps ask of MongoDB names them, or is told there.

On one server, by its profiler: the wheel that the tests take mongod from holds no mongos.
"""

import re
from pathlib import Path
from typing import Any

import pymongo

from tests.support.way import capture, made_page, made_text, store_work
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.progress import OwnerKind, Step
from wenhen.pipeline.tasks import run_next_turn
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.steps.fair_queue import STEP_QUEUES
from wenhen.texts.source_lookup import find_sources

MANUAL = (Path(__file__).parents[3] / "docs" / "scaling.md").read_text(encoding="utf-8")
KEYS = dict(re.findall(r'sh\.shardCollection\("wenhen\.([\w.]+)", \{(\w+): "hashed"\}\)', MANUAL))
ASKED_OF_ALL = {
    (name, by)
    for names, by in re.findall(r"^\| (`[\w.`, ]+`) \| `([\w.]+)` \|", MANUAL, re.MULTILINE)
    for name in re.findall(r"`([\w.]+)`", names)
}
Document = dict[str, Any]


def work_off(app: App) -> None:
    while any(app.queue.count_waiting()[queue] for queue in STEP_QUEUES):
        for queue in STEP_QUEUES:
            run_next_turn(app, queue)


def the_whole_way(app: App) -> None:
    """Works and pages come in, and change; and somebody asks about a text."""
    texts = {name: made_text(name) for name in ("river", "snow")}
    for name, text in texts.items():
        store_work(app, name, text)
    work_off(app)
    for first in ("river", "snow"):
        second = "snow" if first == "river" else "river"
        bodies = {f"http://a.test/{n}": made_page(name, texts[name]) for n, name in enumerate((first, first, second))}
        ids = [capture(app, url, body, "a") for url, body in bodies.items()]
        app.enqueue(OwnerKind.PAGE, ids, Step.EXTRACT)
        work_off(app)
    assert len(app.store.pages.captures(ids[0])) == 2
    store_work(app, "river", texts["river"] + made_text("more"))
    work_off(app)
    assert app.store.cases.count() >= 3
    assert find_sources(app, TextReading(texts["snow"]))


def names_key(question: Document, key: str) -> bool:
    """Whether mongos could tell the shards from it: the key is a value, or one of some."""
    asked = question.get(key)
    return asked is not None and (not isinstance(asked, dict) or "$in" in asked or "$eq" in asked)


def question(told: Document) -> Document:
    """What an operation asks for, of those that the profiler tells."""
    command = told["command"]
    if "pipeline" in command:
        return dict(command["pipeline"][0].get("$match", {}))
    return dict(command.get("filter") or command.get("query") or command.get("q") or {})


def test_what_the_steps_ask_names_the_key_or_is_told_in_the_manual(app: App, servers: ServerAddresses) -> None:
    database = app.settings.mongo.database
    with pymongo.MongoClient[Document](servers.mongo_url) as client:
        client[database].command("profile", 2)
        the_whole_way(app)
        client[database].command("profile", 0)
        watched = list(client[database]["system.profile"].find({"op": {"$ne": "insert"}}))
    asked = [(one["ns"].partition(".")[2], one) for one in watched if "command" in one]
    sharded = [(name, one) for name, one in asked if name in KEYS]
    assert {name for name, _ in sharded} == set(KEYS), "each of them is asked something"
    of_all = [(name, one) for name, one in sharded if not names_key(question(one), KEYS[name])]
    untold = {
        (name, *sorted(question(one)))
        for name, one in of_all
        if not any(other == name and by in question(one) for other, by in ASKED_OF_ALL)
    }
    assert untold == set()
    told = {(name, by) for name, one in of_all for other, by in ASKED_OF_ALL if other == name and by in question(one)}
    assert told == ASKED_OF_ALL, "the manual tells of no question that nobody asks"
    assert [name for name, one in of_all if changes_one(one)] == [], "mongos refuses those"


def changes_one(told: Document) -> bool:
    command = told["command"]
    return "findAndModify" in command or (told["op"] == "update" and not command.get("multi"))


def test_no_other_index_of_a_divided_collection_is_unique_unless_it_begins_with_the_key(
    app: App, servers: ServerAddresses
) -> None:
    with pymongo.MongoClient[Document](servers.mongo_url) as client:
        for name, key in KEYS.items():
            indexes = client[app.settings.mongo.database][name].index_information().values()
            unique = [[field for field, _ in one["key"]] for one in indexes if one.get("unique")]
            assert [fields for fields in unique if fields[0] != key] == [], f"MongoDB does not divide {name}"
