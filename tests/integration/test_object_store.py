"""WARC files and backups at S3: written, read by ranges, retained, verified; a lost connection loses nothing."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import fsspec
import pytest
from click.testing import CliRunner
from moto.server import ThreadedMotoServer

from crawler.warc.reader import read_body, read_exchange
from crawler.warc.writer import WarcArchive
from tests.support.servers.object_store import fetch_into, object_store, warc_files
from tests.support.way import opened
from wenhen.archive.commands import archive
from wenhen.archive.integrity import verify_archive
from wenhen.archive.retention import drop_old_captures, hold_back_retention, store_closed_files
from wenhen.backups.backup import Manifest, create_backup
from wenhen.backups.restore import restore_backup
from wenhen.crawls.job import warc_store
from wenhen.evidence.exhibit_contents import MissingParts
from wenhen.evidence.exhibit_creation import load_environment, load_exchange
from wenhen.kit.errors import BadInput, Unavailable
from wenhen.kit.remote_files import RemotePath, parse_path
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App

STORE = "s3://bucket/warc"
URLS = [f"http://a.test/{number}" for number in range(3)]


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadedMotoServer]:
    with object_store(monkeypatch) as server:
        yield server


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path, s3: ThreadedMotoServer) -> Iterator[App]:
    """A machine whose archive holds a closed file with three captures."""
    sections: dict[str, Any] = {
        "crawler": {"warc": str(tmp_path / "warc"), "warc_store": STORE},
        "keep": {"days": 30},
        "backup": {"key": "a key of the installation"},
    }
    with opened(servers, tmp_path, **sections) as product:
        writing = WarcArchive(tmp_path / "warc", "a.test", "test", 1 << 20, lambda: b'{"clock": "right"}')
        for url in URLS:
            fetch_into(product, writing, url)
        writing.close()
        yield product


def stored() -> list[str]:
    return [path.name for path in RemotePath(STORE).iterdir()]


def captures(app: App) -> list[Any]:
    return [one for one in app.store.captures.each() if one.warc is not None]


def test_a_closed_file_moves_and_is_read_there_by_its_ranges(app: App) -> None:
    [path] = warc_files(app)
    content = path.read_bytes()
    with hold_back_retention(app):
        assert store_closed_files(app) == 0, "a backup is reading it"
    assert store_closed_files(app) == 1
    assert (warc_files(app), stored()) == ([], [path.name])
    assert fsspec.filesystem("s3").cat_file(f"bucket/warc/{path.name}") == content
    for capture in captures(app):
        body = read_body(RemotePath(STORE), capture.warc)
        assert sha256(body).hexdigest() == capture.body_digest
        lacks = MissingParts()
        assert load_exchange(app, capture, lacks).request is not None
        assert load_environment(app, capture, "test", lacks) == b'{"clock": "right"}'
    verified = verify_archive(app)
    assert (verified.files, verified.captures, verified.elsewhere, verified.failed) == (1, 3, 0, 0)


def test_an_open_file_stays_and_what_the_store_changed_is_told(app: App) -> None:
    writing = WarcArchive(Path(app.settings.crawler.warc or ""), "open.test", "test", 1 << 20)
    fetch_into(app, writing, "http://open.test/")
    assert store_closed_files(app) == 1
    assert [path.name.partition("-")[0] for path in warc_files(app)] == ["open.test"]
    writing.close()
    [name] = stored()
    damaged = bytearray(fsspec.filesystem("s3").cat_file(f"bucket/warc/{name}"))
    damaged[-40] ^= 1
    fsspec.filesystem("s3").pipe_file(f"bucket/warc/{name}", bytes(damaged))
    assert verify_archive(app).failed > 0
    assert verify_archive(app, RemotePath(STORE)).failed > 0
    assert verify_archive(app, Path(app.settings.crawler.warc or "")).failed == 0


def test_without_a_connection_nothing_is_lost_and_evidence_waits(app: App, s3: ThreadedMotoServer) -> None:
    [path] = warc_files(app)
    assert store_closed_files(app) == 1
    writing = WarcArchive(path.parent, "later.test", "test", 1 << 20)
    fetch_into(app, writing, "http://later.test/")
    writing.close()
    s3.stop()
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    with pytest.raises(Unavailable):
        store_closed_files(app)
    assert [path.name.partition("-")[0] for path in warc_files(app)] == ["later.test"]
    far = next(one for one in captures(app) if one.url == URLS[0])
    near = next(one for one in captures(app) if one.url == "http://later.test/")
    assert load_exchange(app, near, MissingParts()).request is not None, "of this machine"
    with pytest.raises(Unavailable):
        load_exchange(app, far, MissingParts())
    with pytest.raises(Unavailable):
        create_backup(app, parse_path("s3://bucket/backup"), {})


def test_a_connection_lost_in_the_middle_leaves_the_file_here_whole(
    app: App, s3: ThreadedMotoServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    [path] = warc_files(app)
    content = path.read_bytes()

    def read_less(self: RemotePath, block: int = 0) -> BytesIO:
        return BytesIO(content[:-1])

    with monkeypatch.context() as broken:
        broken.setattr(RemotePath, "open", read_less)
        with pytest.raises(Unavailable, match="other bytes"):
            store_closed_files(app)
    assert warc_files(app) == [path]
    fsspec.filesystem("s3").rm_file(f"bucket/warc/{path.name}")

    def send_and_lose(_: object, stored: BinaryIO, __: int) -> None:
        stored.write(b"x" * (60 << 20))  # more than one part
        s3.stop()

    with monkeypatch.context() as broken:
        broken.setattr("wenhen.archive.retention.copyfileobj", send_and_lose)
        with pytest.raises(Unavailable):
            store_closed_files(app)
    assert path.read_bytes() == content
    with object_store(monkeypatch):
        assert stored() == []
        assert store_closed_files(app) == 1
        assert (warc_files(app), stored()) == ([], [path.name])


def test_a_connection_lost_while_evidence_is_read_is_no_missing_record(
    app: App, s3: ThreadedMotoServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store_closed_files(app) == 1
    at, [capture, *_] = RemotePath(STORE), captures(app)
    really = RemotePath.open

    def open_and_lose(self: RemotePath, block: int = 1 << 20) -> Any:
        file = really(self, block=block)
        s3.stop()
        return file

    monkeypatch.setattr(RemotePath, "open", lambda self, mode="rb", block=1 << 20: open_and_lose(self, block))
    with pytest.raises(Unavailable):
        read_exchange(at, capture.warc)


def test_what_another_machine_stored_is_seen_and_its_bytes_are_never_replaced(app: App) -> None:
    [path] = warc_files(app)
    content, other = path.read_bytes(), path.with_name(f"b.test-{path.name}")
    other.write_bytes(content)
    assert stored() == []
    write_from_elsewhere(f"warc/{path.name}", b"of another machine")
    assert stored() == [path.name]
    write_from_elsewhere(f"warc/{path.name}.tsr", b"its stamp")
    assert RemotePath(f"{STORE}/{path.name}.tsr").size() == 9
    with pytest.raises(Unavailable, match="both stay"):
        store_closed_files(app)
    assert warc_files(app) == [path], "the other one moved"
    assert fsspec.filesystem("s3").cat_file(f"bucket/warc/{path.name}") == b"of another machine"
    write_from_elsewhere(f"warc/{path.name}", content)
    assert store_closed_files(app) == 1, "an earlier try was broken off between sending and removing"


def write_from_elsewhere(key: str, content: bytes) -> None:
    """Write as another machine does, without the knowledge of this process's fsspec."""
    fsspec.filesystem("s3", skip_instance_cache=True).pipe_file(f"bucket/{key}", content)


def test_a_bucket_that_is_gone_is_named_and_not_made_anew(app: App) -> None:
    [path] = warc_files(app)
    assert store_closed_files(app) == 1
    s3 = fsspec.filesystem("s3")
    s3.rm("bucket", recursive=True)
    assert not fsspec.filesystem("s3", skip_instance_cache=True).exists("bucket")
    path.write_bytes(b"")
    writing = WarcArchive(path.parent, "later.test", "test", 1 << 20)
    fetch_into(app, writing, "http://later.test/")
    writing.close()
    far = next(one for one in captures(app) if one.url == URLS[0])
    for action in (
        lambda: store_closed_files(app),
        lambda: load_exchange(app, far, MissingParts()),
        lambda: verify_archive(app),
        lambda: create_backup(app, parse_path("s3://bucket/backup"), {}),
        lambda: create_backup(app, path.parent.with_name("backup"), {}),
        lambda: Manifest.of(parse_path("s3://bucket/backup"), None),
    ):
        with pytest.raises(Unavailable, match="no bucket bucket"):
            action()
    assert not fsspec.filesystem("s3", skip_instance_cache=True).exists("bucket")
    assert [path.name.partition("-")[0] for path in warc_files(app)] == ["a.test", "later.test"]


def test_no_message_names_credentials() -> None:
    path = RemotePath("ftp://anna:secret@127.0.0.1:9/warc")
    with pytest.raises(Unavailable) as error:
        path.exists()
    assert "secret" not in f"{error.value} {path} {path!r}"
    assert "127.0.0.1:9/warc" in str(error.value)


def test_files_of_which_no_capture_is_left_are_dropped_there_too(app: App) -> None:
    writing = WarcArchive(Path(app.settings.crawler.warc or ""), "old.test", "test", 1 << 20)
    fetch_into(app, writing, "http://old.test/")
    writing.close()
    assert store_closed_files(app) == 2
    gone = next(name for name in stored() if name.startswith("old.test"))
    fsspec.filesystem("s3").pipe_file(f"bucket/warc/{gone}.tsr", b"stamp")
    pointed = app.store.captures.archives() - {gone}
    captures = app.store.captures
    captures_without = SimpleNamespace(
        archives=lambda: pointed,
        drop_superseded=captures.drop_superseded,
        drop_superseded_regional=captures.drop_superseded_regional,
    )
    later = replace(
        app,
        now=lambda: app.now() + timedelta(days=60),
        store=_with(app.store, captures=captures_without),
    )
    assert drop_old_captures(later).files == 1
    assert [name.partition("-")[0] for name in stored()] == ["a.test"]


def _with(store: Any, **parts: Any) -> Any:
    return SimpleNamespace(**{name: getattr(store, name) for name in ("marks", "captures", "blobs", "cases")} | parts)


def test_a_backup_at_s3_holds_both_places_and_is_restored(app: App, servers: ServerAddresses, tmp_path: Path) -> None:
    assert store_closed_files(app) == 1
    writing = WarcArchive(Path(app.settings.crawler.warc or ""), "near.test", "test", 1 << 20)
    fetch_into(app, writing, "http://near.test/")
    writing.close()
    folder = parse_path("s3://bucket/backups/today")
    with pytest.raises(BadInput, match="there is no backup"):
        Manifest.of(folder, None)
    made = create_backup(app, folder, {"WENHEN_LOG_LEVEL": "info"})
    assert [part.name.partition("-")[0] for part in made.archive] == ["a.test", "near.test"]
    head = fsspec.filesystem("s3").cat_file("bucket/backups/today/backup", start=0, end=16)
    assert head == b"wenhen-backup-2\n", "sealed there as here"
    with pytest.raises(BadInput, match="not empty"):
        create_backup(app, folder, {})
    with opened(servers, tmp_path / "other", backup={"key": "a key of the installation"}) as other:
        done = restore_backup(other, folder)
        assert (done.documents > 0, done.files) == (True, 2)
        verified = verify_archive(other)
        assert (verified.captures, verified.failed) == (4, 0)
    with opened(servers, tmp_path / "third", backup={"key": "another"}) as third, pytest.raises(BadInput):
        restore_backup(third, folder)


def test_of_a_large_file_only_what_is_read_is_fetched(s3: ThreadedMotoServer) -> None:
    fsspec.filesystem("s3").pipe_file("bucket/large", bytes(8 << 20))
    with RemotePath("s3://bucket/large").open() as file:
        file.seek(5 << 20)
        assert file.read(100) == bytes(100)
        reading: Any = file.raw
        assert reading._file.cache.total_requested_bytes < 3 << 20


def test_a_part_that_breaks_off_does_not_appear(s3: ThreadedMotoServer) -> None:
    def break_off() -> None:
        with RemotePath("s3://bucket/part").create() as file:
            file.write(b"x" * 100)
            raise LookupError

    with pytest.raises(LookupError):
        break_off()
    assert not RemotePath("s3://bucket/part").exists()
    assert list(RemotePath("s3://bucket/nowhere").iterdir()) == []


def test_the_command_asks_for_the_setting(servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path) as product:
        assert warc_store(product.settings) is None
        assert store_closed_files(product) == 0
        said = CliRunner().invoke(archive, ["store"], obj=product.settings)
    assert said.exit_code != 0
