"""Documents of earlier forms become today's while the system works: from the demo as it was first kept, a backup."""

import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pymongo
import pytest
from pymongo.database import Database

from tests.support.way import every_record, made_text, opened, store_work, work_through
from wenhen.backups.restore import restore_backup
from wenhen.cases.model import CaseStatus
from wenhen.fingerprints.model import Fingerprint
from wenhen.kit.mongo.table import FORM_FIELD
from wenhen.kit.progress import OwnerKind, Step
from wenhen.pipeline.reconciler import reconcile
from wenhen.runtime import store
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.store import MIGRATIONS, MIGRATIONS_MARK
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import find_copied_works

DEMO = Path(__file__).parents[2] / "support" / "forms" / "demo-0.tar"  # made before documents said their form
WITHOUT = {"blobs.chunks"}


@pytest.fixture
def old(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    """The demo as it was stored when no document said its form."""
    with tarfile.open(DEMO) as packed:
        packed.extractall(tmp_path / "demo", filter="data")
    with opened(servers, tmp_path / "data") as app:
        restore_backup(app, tmp_path / "demo")
        yield app


@contextmanager
def database(app: App) -> Iterator[Database[dict[str, Any]]]:
    assert app.settings.mongo.url
    with closing(pymongo.MongoClient[dict[str, Any]](app.settings.mongo.url)) as client:
        yield client[app.settings.mongo.database]


def forms(app: App) -> dict[str, set[object]]:
    """The forms that the documents of each collection say."""
    with database(app) as found:
        names = [name for name in found.list_collection_names() if name not in WITHOUT and "system." not in name]
        return {name: {one.get(FORM_FIELD) for one in found[name].find({}, {FORM_FIELD: 1})} for name in names}


def todays(told: dict[str, set[object]]) -> dict[str, set[object]]:
    """What the same collections should say."""
    return {name: {2 if name == "fingerprints" else 1} if found else set() for name, found in told.items()}


def fingerprints(app: App) -> list[Fingerprint]:
    return [one for kind in OwnerKind for one in app.store.fingerprints.all(kind)]


def records(app: App) -> list[object]:
    """Everything that people see of the demo."""
    return [*every_record(app), *app.store.cases.each(), *app.store.sites.all(), *app.store.licences.all()]


def test_the_demo_of_before_is_read_and_searched_and_then_brought_into_todays_form(old: App) -> None:
    before, packed = records(old), fingerprints(old)
    assert len(list(old.store.cases.each())) > 20
    assert {record.progress.step for record in every_record(old)} == {Step.DONE}
    assert old.store.migrations_left() == [one.number for one in MIGRATIONS]
    assert None in forms(old)["works"]
    old.store.migrate(1000)
    assert old.store.migrations_left() == []
    assert forms(old) == todays(forms(old))
    assert records(old) == before
    assert packed
    assert fingerprints(old) == packed
    with database(old) as found:
        assert found["fingerprints"].count_documents({"id": {"$exists": True}}) == 0
    work = next(iter(old.store.works.many(list(old.store.works.ids())).values()))
    assert work.id in {
        finding.work_id for finding in find_copied_works(old, old.store.blobs.get_text(work.text_digest))
    }
    assert old.store.cases.count(status=CaseStatus.LEAD) > 0


def test_a_migration_that_is_cut_short_goes_on_where_it_was(old: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MIGRATION_BATCH", 7)
    reconcile(old)
    first = old.store.migrate(5)
    assert 0 < first <= 35
    assert old.store.migrations_left(), "it was cut short"
    place = old.store.marks.get(MIGRATIONS_MARK)
    store_work(old, "meanwhile", made_text("meanwhile"))
    work_through(old)
    assert old.store.marks.get(MIGRATIONS_MARK) == place
    looked_at = first
    looked_at += old.store.migrate(1000)
    with database(old) as found:
        held = sum(found[name].estimated_document_count() for name in forms(old))
    assert looked_at <= held - 20, "the sweep had begun, and nothing was done over"
    assert forms(old) == todays(forms(old))


def test_what_is_stored_today_says_its_form(servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path) as app:
        store_work(app, "story", made_text("story"))
        work_through(app)
        app.store.templates.learn("a.test", "text", ["a line"], 5)
        app.store.marks.set("one", {})
        told = forms(app)
        assert told == todays(told)
        assert all(told[name] for name in ("works", "fingerprints", "counters", "marks", "blobs.files", "audit"))


def test_migrations_are_numbered_one_after_the_other() -> None:
    assert [one.number for one in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))
