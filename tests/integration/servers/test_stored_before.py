"""What the release before stored is read as it read it, changed by no migration, and restored from its backup."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import bson
import pymongo
import pytest
from bson.raw_bson import RawBSONDocument

from tests.support.commands.command import Command
from tests.support.stored_before import (
    COLLECTIONS_SINCE,
    RECORD_TYPES,
    STORED,
    Document,
    as_json,
    documents,
    dump,
    readings,
    told,
    without_added,
)
from tests.support.way import opened
from wenhen.archive.integrity import verify_archive
from wenhen.audit.model import find_chain_breaks
from wenhen.backups.backup import Manifest
from wenhen.backups.restore import restore_backup
from wenhen.context.store_and_queue import Store
from wenhen.kit.mongo.codec import encode, from_document, to_document
from wenhen.kit.mongo.table import FORM_FIELD
from wenhen.kit.progress import OwnerKind
from wenhen.matching.index_rebuild import verify_index
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.store import MIGRATIONS_MARK, open_store

WRITTEN_BY_STARTING = {MIGRATIONS_MARK, "tallies"}  # marks that a start or a migration sets
CHANGED_BY_RESTORING = {"marks", "runs"}  # the indexes are made again, which is a run
BACKUP = STORED / "backup"


@dataclass(frozen=True)
class Place:
    """A database of its own, and the store on it."""

    store: Store
    url: str
    database: str

    def contents(self) -> dict[str, dict[object, bytes]]:
        """The BSON of every document, by collection and id."""
        with closing(pymongo.MongoClient[RawBSONDocument](self.url, document_class=RawBSONDocument)) as client:
            held = client[self.database]
            names = [name for name in held.list_collection_names() if not name.startswith("system.")]
            return {name: {_hashable(one["_id"]): bytes(one.raw) for one in held[name].find()} for name in names}


def _hashable(id: object) -> object:
    return id if isinstance(id, str | int | bytes) else repr(id)


@contextmanager
def filled(url: str, database: str, stored: dict[str, list[Document]]) -> Iterator[Place]:
    """The store on a database that held these documents before it was opened."""
    with closing(pymongo.MongoClient[Document](url)) as client:
        for name, found in stored.items():
            if found:
                client[database][name].insert_many(found)
    with closing(open_store(url, database)) as store:
        yield Place(store, url, database)


@pytest.fixture(scope="module")
def stored() -> dict[str, list[Document]]:
    """Every document of the dump, by collection."""
    return dump()


@pytest.fixture
def place(bare_url_and_db: tuple[str, str], stored: dict[str, list[Document]]) -> Iterator[Place]:
    with filled(*bare_url_and_db, stored) as there:
        yield there


def prepare_and_migrate(store: Store) -> None:
    store.prepare()
    while store.migrations_left():
        store.migrate(100)


def without_marks(contents: dict[str, dict[object, bytes]]) -> dict[str, dict[object, bytes]]:
    """All that is held but for the marks of starting; collections in which nothing is count for none."""
    kept = {**contents, "marks": dict(contents["marks"])}
    for mark in WRITTEN_BY_STARTING:
        kept["marks"].pop(mark, None)
    return {name: held for name, held in kept.items() if held}


def sorted_readings(found: list[tuple[str, str, Any]]) -> list[tuple[str, str, str]]:
    """In one order: that in which the repositories give them is told by other tests."""
    return sorted((repository, id, repr(_in_order(record))) for repository, id, record in found)


def _in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _in_order(value[name]) for name in sorted(value)}
    return [_in_order(one) for one in value] if isinstance(value, list) else value


def test_no_document_is_another_once_the_store_is_opened_and_brought_into_todays_form(place: Place) -> None:
    before = place.contents()
    prepare_and_migrate(place.store)
    assert place.store.migrations_left() == []
    assert sum(map(len, before.values())) > 500
    after = place.contents()
    assert without_marks(after) == without_marks(before)


def test_every_record_is_read_through_the_repositories_as_it_was(
    place: Place, stored: dict[str, list[Document]]
) -> None:
    prepare_and_migrate(place.store)
    found = [
        (repository, id, without_added(repository, as_json(record)))
        for repository, id, record in readings(place.store, stored)
    ]
    of_before = [(one["repository"], one["id"], one["record"]) for one in told("read")]
    ours, theirs = (
        [one for one in sorted_readings(them) if one[:2] != ("marks", MIGRATIONS_MARK)] for them in (found, of_before)
    )
    assert Counter(name for name, _, _ in ours) == Counter(name for name, _, _ in theirs)
    assert ours == theirs
    assert list(find_chain_breaks(place.store.audit.each())) == []
    bodies = place.store.blobs.get_all([one["_id"] for one in stored["blobs.files"]])
    assert all(sha256(body).hexdigest() == digest for digest, body in bodies.items())


@pytest.mark.parametrize("name", sorted(RECORD_TYPES))
def test_a_record_that_is_read_and_written_again_is_the_same_document(
    name: str, stored: dict[str, list[Document]]
) -> None:
    of_before = {str(one["id"]): one["bson"] for one in told("written") if one["collection"] == name}
    assert {str(one["_id"]) for one in stored[name]} == of_before.keys()
    for document in stored[name]:
        written = without_added(name, to_document(from_document(RECORD_TYPES[name], document)))
        assert sha256(bson.encode(written)).hexdigest() == of_before[str(document["_id"])], document["_id"]


def test_documents_of_every_other_shape_are_read_and_written_as_they_were() -> None:
    apart, records = documents(STORED / "apart.jsonl.gz"), told("apart-written")
    assert len(apart) == len(records) > 100
    for one, of_before in zip(apart, records, strict=True):
        record: object = from_document(RECORD_TYPES[one["collection"]], one["document"])
        collection = one["collection"]
        assert without_added(collection, as_json(record)) == of_before["record"], collection
        written = without_added(collection, to_document(record))
        assert sha256(bson.encode(written)).hexdigest() == of_before["bson"], collection


def test_a_fingerprint_that_is_written_again_is_the_same_document(
    place: Place, stored: dict[str, list[Document]]
) -> None:
    prepare_and_migrate(place.store)
    read = {one.id: encode(one) for kind in OwnerKind for one in place.store.fingerprints.all(kind)}
    live = [one for one in stored["fingerprints"] if not one["retired"]]
    assert len(live) == len(read) > 20
    for document in live:
        kept = {name: value for name, value in document.items() if name not in ("_id", FORM_FIELD)}
        assert kept in [{name: value for name, value in one.items() if name != "id"} for one in read.values()]


def test_the_backup_of_before_is_restored_and_is_the_store_that_it_was_made_of(
    servers: ServerAddresses, tmp_path: Path, stored: dict[str, list[Document]]
) -> None:
    with opened(servers, tmp_path / "data") as app:
        done = restore_backup(app, BACKUP)
        manifest = Manifest.of(BACKUP, None)
        assert done.documents == sum(part.size for part in (*manifest.collections, *manifest.contents))
        assert {part.name for part in manifest.collections} <= set(app.store.copying.collections())
        for part in (*manifest.collections, *manifest.contents):
            held = set(map(bytes, app.store.copying.read(part.name)))
            before = set(map(bson.encode, stored[part.name]))
            assert before == held if part.name not in CHANGED_BY_RESTORING else before & held, part.name
        assert all(verify_index(app, kind).missing == 0 for kind in OwnerKind)
        assert verify_archive(app).failed == 0
        assert app.store.cases.count() > 20


@pytest.fixture
def wenhen(servers: ServerAddresses, tmp_path: Path) -> Iterator[Command]:
    database = f"test_{uuid4().hex}"
    yield Command(
        tmp_path / "home",
        tmp_path / "data",
        {
            "WENHEN_MONGO_URL": servers.mongo_url,
            "WENHEN_MONGO_DATABASE": database,
            "WENHEN_REDIS_URL": f"{servers.redis_url}?db=8",
            "WENHEN_INDEX_URL": f"{servers.redis_url}?db=7",
        },
    )
    with closing(pymongo.MongoClient[Document](servers.mongo_url)) as client:
        client.drop_database(database)


def digests(folder: Path) -> dict[str, str]:
    """Those of the collections in a backup."""
    manifest = Manifest.of(folder, None)
    every = (*manifest.collections, *manifest.contents)
    return {part.name: part.digest for part in every if part.name not in CHANGED_BY_RESTORING}


def test_the_command_restores_the_backup_of_before_and_a_new_backup_holds_the_same(
    wenhen: Command, tmp_path: Path
) -> None:
    assert wenhen.json("restore", BACKUP)["documents"] > 500
    wenhen.run("backup", tmp_path / "again", "--verify")
    again = digests(tmp_path / "again")
    assert {name: again[name] for name in again if name not in COLLECTIONS_SINCE} == digests(BACKUP)
