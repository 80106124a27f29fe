"""A backup is written while the system works, restored into an empty place, and compared."""

import errno
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread

import pymongo
import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from crawler.warc.responses import record_exchange
from crawler.warc.writer import WarcArchive
from tests.services.samples.evidence import without_browser
from tests.support.acting import by
from tests.support.oracles import is_intact
from tests.support.servers.authority import make_authority, served
from tests.support.way import capture as captured_page
from tests.support.way import made_page, made_text, opened, pairs, store_work, wait_for, work_through
from wenhen.archive.integrity import verify_archive
from wenhen.archive.retention import is_backup_running, last_complete_backup
from wenhen.backups import backup
from wenhen.backups.backup import (
    BackupState,
    Manifest,
    append_log,
    create_backup,
    drop_old_backups,
    request_backup,
    requested_backup,
    run_requested_backup,
)
from wenhen.backups.fsync_lock import LOCKED_ANSWER
from wenhen.backups.restore import read_backup_settings, restore_backup
from wenhen.backups.sealed_files import BackupKey, write_part
from wenhen.evidence.exhibit_creation import make_exhibit_now
from wenhen.evidence.exhibits import export_exhibit, export_receipt, store_receipt
from wenhen.evidence.signing import request_due_stamps, signing_key_fingerprint
from wenhen.evidence.verification import check_exhibit as check_file
from wenhen.kit.errors import BadInput, Conflict, NotFound
from wenhen.kit.progress import OwnerKind
from wenhen.kit.remote_files import parse_path
from wenhen.matching.index_rebuild import verify_index
from wenhen.operations.health import check_health
from wenhen.runtime.embedded.servers import ServerAddresses, start_servers, stop_servers
from wenhen.runtime.settings_sources import load_settings, settings_environment
from wenhen.runtime.wiring import App, open_app
from wenhen.texts.source_lookup import find_copied_works

URL = "http://site.test/a"
STORY = made_text("story")
KEY = {"backup": {"key": "a key of the installation"}}


def fill(app: App) -> None:
    store_work(app, "story", STORY)
    captured_page(app, URL, made_page("转载", STORY))
    work_through(app)
    archive = WarcArchive(app.settings.data / "warc", "site", "test", 1 << 20)
    place = archive.write(record_exchange(Request(URL), HtmlResponse(URL, body=b"<p>x</p>")))
    with (app.settings.data / "warc" / place.file).open("ab") as file:
        file.write(b"\x1f\x8b\x08 a record that is being written")


@contextmanager
def emptied(servers: ServerAddresses, data: Path, **sections: dict[str, object]) -> Iterator[App]:
    """A product on an empty database, without the indexes."""
    with opened(servers, data, **sections) as app:
        yield app


def holds_the_same(one: App, other: App) -> bool:
    names = [*one.store.copying.collections(), *one.store.copying.contents()]
    return all(
        name in ("marks", "runs") or list(one.store.copying.read(name)) == list(other.store.copying.read(name))
        for name in names
    )


@pytest.mark.parametrize("sections", [{}, KEY], ids=["open", "sealed"])
def test_what_is_restored_is_what_was_there_and_is_found_again(
    servers: ServerAddresses, tmp_path: Path, sections: dict[str, dict[str, object]]
) -> None:
    folder = tmp_path / "backup"
    with opened(servers, tmp_path / "one", **sections) as app:
        fill(app)
        made = create_backup(app, folder, settings_environment(app.settings))
        assert made.moment is None, "this MongoDB keeps no log"
        assert len(made.archive) == 1
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in folder.rglob("*") if path.is_file())
        with emptied(servers, tmp_path / "other", **sections) as place:
            done = restore_backup(place, folder)
            assert holds_the_same(app, place)
            assert pairs(place) == {(URL, "story")}
            assert [finding.work_id for finding in find_copied_works(place, STORY)] == ["story"]
            assert all(verify_index(place, kind).missing == 0 for kind in OwnerKind)
            verified = verify_archive(place)
            assert (verified.files, verified.records, verified.failed) == (1, 3, 0), "what is whole"
            assert json.loads(done.settings.read_text())["WENHEN_DATA"] == str(tmp_path / "one")
            with pytest.raises(Conflict, match="stored here already"):
                restore_backup(place, folder)
    in_files = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert (b"wenhen-backup" in in_files) == bool(sections)


def test_a_sealed_backup_opens_with_its_key_alone(servers: ServerAddresses, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    with opened(servers, tmp_path / "one", **KEY) as app:
        create_backup(app, folder, {"WENHEN_DASHBOARD_SECRET_KEY": "secret"})
    assert read_backup_settings(folder, BackupKey("a key of the installation")) == {
        "WENHEN_DASHBOARD_SECRET_KEY": "secret"
    }
    for key, said in ((BackupKey("another"), "the key is another"), (None, "give the WENHEN_BACKUP_KEY")):
        with pytest.raises(BadInput, match=said):
            Manifest.of(folder, key)


def test_a_backup_with_a_byte_changed_is_refused(servers: ServerAddresses, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    with opened(servers, tmp_path / "one") as app:
        store_work(app, "story", STORY)
        create_backup(app, folder, {})
    file = folder / "mongo" / "works"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with opened(servers, tmp_path / "other") as place, pytest.raises(BadInput, match="works"):
        restore_backup(place, folder)


class Full:
    """A file on a disk without room."""

    digest = ""

    def write(self, _: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("parent", ["local", "memory://backups"])
def test_older_backups_go_once_the_new_one_was_read_back(servers: ServerAddresses, tmp_path: Path, parent: str) -> None:
    at = parse_path(parent) if "://" in parent else tmp_path / parent
    key = BackupKey("a key of the installation")

    def drop(name: str, most: int) -> list[str]:
        return [path.name for path in drop_old_backups(at / name, key, most, lambda then: then == {"of": "us"})]

    def there() -> list[str]:
        return sorted(path.name for path in at.iterdir() if (path / "backup").is_file())

    with opened(servers, tmp_path / "data", **KEY) as app:
        create_backup(app, at / "d", {"of": "others"})
        for name in "cba":  # by time, not by name
            create_backup(app, at / name, {"of": "us"})
        with write_part(at / "unfinished" / "settings", key) as part:
            part.write(b"{}")
        with opened(servers, tmp_path / "other", backup={"key": "another"}) as other:
            create_backup(other, at / "sealed", {"of": "us"})
        assert drop("a", 4) == drop("a", 3) == drop("c", 1) == []
        with (at / "b" / "note").open("wb") if isinstance(at, Path) else nullcontext():
            pass
        assert drop("a", 2) == ["c"]
        assert there() == ["a", "b", "d", "sealed"]
        create_backup(app, at / "new", {"of": "us"})
        name = Manifest.of(at / "new", key).collections[0].name
        with write_part(at / "new" / "mongo" / name, key) as part:
            part.write(b"other")
        with pytest.raises(BadInput, match="not what the backup holds"):
            drop("new", 1)
        assert drop("a", 1) == ["b"]
        assert there() == ["a", "d", "new", "sealed"]
        assert (at / "unfinished" / "settings").is_file()
        if isinstance(at, Path):
            assert [path.name for path in (at / "b").iterdir()] == ["note"]
            assert not (at / "c").exists()


def test_a_backup_for_which_there_is_no_room_says_where_and_counts_for_none(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(servers, tmp_path / "one") as app:
        with monkeypatch.context() as full:
            full.setattr(backup, "write_part", lambda *_: nullcontext(Full()))
            with pytest.raises(OSError, match="No space") as caught:
                create_backup(app, tmp_path / "first", {})
        assert str(caught.value.filename).startswith(str(tmp_path / "first"))
        assert (last_complete_backup(app), is_backup_running(app)) == (None, False)
        create_backup(app, tmp_path / "second", {})
        assert last_complete_backup(app) is not None


def test_an_exhibit_is_handed_out_of_a_backup_as_it_was_with_time_stamp_and_receipt(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    folder, authority = tmp_path / "backup", make_authority(tmp_path)
    sections: dict[str, dict[str, object]] = {"dashboard": {"secret_key": "the key that seals what is secret"}}
    with (
        served(authority.answer) as url,
        opened(
            servers, tmp_path / "one", evidence={"authorities": [url], "roots": str(authority.roots)}, **sections
        ) as app,
    ):
        fill(app)
        made = make_exhibit_now(without_browser(by(app)), 1)
        request_due_stamps(app)
        before = export_exhibit(by(app), made.id).content
        receipt = store_receipt(by(app), made.id, "长江公证处", "公证书.pdf", b"%PDF")
        key = signing_key_fingerprint(app)
        create_backup(app, folder, {})
        with emptied(servers, tmp_path / "other", **sections) as place:
            restore_backup(place, folder)
            after = export_exhibit(by(place), made.id).content
            assert export_receipt(by(place), made.id, receipt.id).content == b"%PDF"
            assert signing_key_fingerprint(place) == key
    assert after == before
    found = check_file(after, roots=authority.roots.read_text(), key=key)
    assert is_intact(found)
    assert {"evidence.stamp_holds", "evidence.root_trusted", "evidence.key_holds"} <= {one.what.code for one in found}


def test_works_that_come_in_during_a_backup_are_in_it_whole_or_not_at_all(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    folder, over = tmp_path / "backup", Event()
    with opened(servers, tmp_path / "one") as app:

        def come_in() -> None:
            for number in range(100_000):
                if over.is_set():
                    return
                store_work(app, f"w{number}", made_text(f"work {number}", 60))

        thread = Thread(target=come_in)
        thread.start()
        try:
            wait_for(lambda: app.store.works.count() > 5, "some works")
            create_backup(app, folder, {})
            behind = app.store.works.count()
            wait_for(lambda: app.store.works.count() > behind, "writes go on afterwards")
        finally:
            over.set()
            thread.join()
        with opened(servers, tmp_path / "other") as place:
            restore_backup(place, folder)
            ids = list(place.store.works.ids())
            assert len(ids) > 5
            assert set(ids) == {f"w{number}" for number in range(len(ids))}, "in the order in which they came"
            for work in place.store.works.many(ids).values():
                assert place.store.blobs.get_text(work.text_digest)


def test_a_backup_that_is_killed_leaves_mongodb_unlocked(servers: ServerAddresses, tmp_path: Path) -> None:
    code = (
        "import sys; from wenhen.backups.database_copy import _lock_writes\n"
        "with _lock_writes(sys.argv[1], ''): print('in', flush=True); input()"
    )
    taken = subprocess.Popen(
        [sys.executable, "-c", code, servers.mongo_url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert taken.stdout
    with taken, closing(pymongo.MongoClient[dict[str, object]](servers.mongo_url)) as client:
        assert taken.stdout.readline() == "in\n"
        assert client.admin.command("currentOp")["fsyncLock"]
        os.kill(taken.pid, signal.SIGKILL)
        wait_for(lambda: not client.admin.command("currentOp").get("fsyncLock"), "the lock to go", 30)
    assert LOCKED_ANSWER == "locked"


@pytest.fixture(scope="module")
def logging_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerAddresses]:
    """Servers whose MongoDB is a replica set of one."""
    data = tmp_path_factory.mktemp("oplog")
    try:
        yield start_servers(data, oplog=True)
    finally:
        stop_servers(data)


def test_with_an_oplog_the_store_is_restored_as_of_any_moment(logging_servers: ServerAddresses, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    with opened(logging_servers, tmp_path / "one") as app:
        store_work(app, "first", made_text("first"))
        made = create_backup(app, folder, {})
        assert made.moment is not None
        captured_page(app, URL, made_page("转载", made_text("second")))
        store_work(app, "second", made_text("second"))
        work_through(app)
        between = _next_second()
        store_work(app, "third", made_text("third"))
        app.store.works.remove("first")
        append_log(app, folder)
        with opened(logging_servers, tmp_path / "last") as place:
            assert restore_backup(place, folder).replayed > 10
            assert set(place.store.works.ids()) == set(app.store.works.ids())
            assert holds_the_same(app, place)
        with opened(logging_servers, tmp_path / "between") as place:
            restore_backup(place, folder, between)
            assert set(place.store.works.ids()) == {"first", "second"}
            assert place.store.works.get("first").removed_at is None
            assert pairs(place) == {(URL, "second")}
        with opened(logging_servers, tmp_path / "before") as place, pytest.raises(BadInput, match="as of"):
            restore_backup(place, folder, datetime(2020, 1, 1, tzinfo=UTC))


def _next_second() -> datetime:
    """A moment behind all that was written and before all that will be: a log counts in seconds."""
    now = datetime.now(UTC).replace(microsecond=0)
    wait_for(lambda: (datetime.now(UTC) - now).total_seconds() > 1.05, "the next second", 5)
    return now


def test_without_an_oplog_nothing_can_be_added(servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path / "one") as app:
        create_backup(app, tmp_path / "backup", {})
        with pytest.raises(NotFound, match="cannot be gone on with"):
            append_log(app, tmp_path / "backup")
        with pytest.raises(BadInput, match="not empty"):
            create_backup(app, tmp_path / "backup", {})


def test_a_data_folder_that_was_moved_keeps_its_replica_set(tmp_path: Path) -> None:
    settings = load_settings(data=tmp_path / "a", mongo={"oplog": True})
    try:
        with closing(open_app(settings).store) as store:
            store.marks.set("moved", {"yes": True})
        stop_servers(tmp_path / "a")
        (tmp_path / "a").rename(tmp_path / "b")
        with closing(open_app(load_settings(data=tmp_path / "b")).store) as store:
            assert store.marks.get("moved")
            store.marks.set("moved", {"yes": False})
    finally:
        stop_servers(tmp_path / "a")
        stop_servers(tmp_path / "b")


def test_a_backup_that_is_begun_on_screen_is_whole_and_tells_how_far_it_is(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    target = {"backup": {"target": str(tmp_path / "backups")}}
    with opened(servers, tmp_path / "one", **target) as app:
        fill(app)
        request_backup(by(app))
        assert app.queue.count_waiting()["evidence"] == 1
        run_requested_backup(app, settings_environment(app.settings))
        failed = requested_backup(app)
        assert failed is not None
        assert failed.state is BackupState.FAILED, "the folder is not there"
        assert "backups" in check_health(app)["backup"].detail
        assert not check_health(app)["backup"].answers
        (tmp_path / "backups").mkdir()
        for _ in range(2):
            assert request_backup(by(app)).is_open
        assert len(app.store.audit.find(action="backup.begin")) == 2, "one at a time"
        run_requested_backup(app, settings_environment(app.settings))
        done = requested_backup(app)
        assert done is not None
        assert (done.state, done.done, done.problem) == (BackupState.DONE, done.total, None)
        assert check_health(app)["backup"].answers
        run_requested_backup(app, {})  # a message that came twice
        assert requested_backup(app) == done
        assert done.folder is not None
        folder = Path(done.folder)
        assert [path.name for path in (tmp_path / "backups").iterdir()] == [folder.name]
        with emptied(servers, tmp_path / "other") as place:
            restore_backup(place, folder)
            restored = requested_backup(place)
            assert restored is not None
            assert restored.state is BackupState.DONE, "the backup holds itself as one that runs"
            assert holds_the_same(app, place)


def test_a_begun_backup_whose_worker_died_has_failed(servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path / "one", backup={"target": str(tmp_path)}) as app:
        request_backup(by(app))
        later = replace(app, now=lambda: datetime.now(UTC) + timedelta(hours=13))
        died = requested_backup(later)
        assert died is not None
        assert (died.state, died.problem and died.problem.code) == (BackupState.FAILED, "backup.lost")
        assert not check_health(later)["backup"].answers
        assert request_backup(by(later)).is_open
