"""Each closed WARC file gets a time stamp by an authority, which is kept with it, verified and backed up."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from crawler.warc.responses import record_exchange
from crawler.warc.writer import WarcArchive
from tests.support.servers.authority import Authority, make_authority, served
from tests.support.servers.object_store import fetch_into, warc_files
from tests.support.way import opened
from wenhen.archive.integrity import answer_path, is_closed, stamp_closed_files, verify_archive
from wenhen.archive.retention import drop_old_captures
from wenhen.backups.backup import create_backup
from wenhen.kit.errors import Unavailable
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to stamp with")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"), chain=False)


@pytest.fixture
def answers() -> list[bool]:
    """Whether the authority answers."""
    return [True]


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path, authority: Authority, answers: list[bool]) -> Iterator[App]:
    def answer(question: bytes) -> bytes:
        return authority.answer(question) if answers[-1] else b"busy"

    with served(answer) as url:
        sections: dict[str, Any] = {
            "crawler": {"warc": str(tmp_path / "warc")},
            "evidence": {"authorities": [url]},
            "keep": {"days": 30},
        }
        with opened(servers, tmp_path, **sections) as product:
            yield product


def test_a_file_is_stamped_when_it_is_closed_and_others_can_verify_that(
    app: App, authority: Authority, tmp_path: Path
) -> None:
    archive = WarcArchive(tmp_path / "warc", "site", "test", 6_000)
    for number in range(5):  # the third response closes the first file
        fetch_into(app, archive, f"http://site.test/{number}")
    closed = [path for path in warc_files(app) if is_closed(path)]
    assert len(closed) == len(warc_files(app)) - 1, "the last one may grow"
    assert stamp_closed_files(app) == len(closed)
    assert [path for path in warc_files(app) if answer_path(path).exists()] == closed
    archive.close()
    assert (stamp_closed_files(app), stamp_closed_files(app)) == (1, 0)
    verified = verify_archive(app)
    assert (verified.files, verified.stamped, verified.failed) == (len(warc_files(app)), len(warc_files(app)), 0)
    command = ["openssl", "ts", "-verify", "-in", str(answer_path(closed[0])), "-data", str(closed[0])]
    trust = ["-CAfile", str(authority.roots), "-untrusted", str(authority.folder / "issuers.pem")]
    done = subprocess.run([*command, *trust], capture_output=True, text=True, check=False)
    assert "Verification: OK" in done.stdout + done.stderr


def test_a_file_that_was_changed_or_whose_stamp_is_anothers_is_named(app: App, tmp_path: Path) -> None:
    for name in ("one", "two"):
        archive = WarcArchive(tmp_path / "warc", name, "test", 1 << 20)
        fetch_into(app, archive, f"http://site.test/{name}")
        archive.close()
    assert stamp_closed_files(app) == 2
    one, two = warc_files(app)
    answer_path(two).write_bytes(answer_path(one).read_bytes())
    answer_path(one).write_bytes(b"no stamp")
    verified = verify_archive(app)
    assert (verified.stamped, verified.failed) == (0, 2)
    assert {str(problem.figures["file"]) for problem in verified.problems} == {one.name, two.name}


def test_an_authority_that_does_not_answer_is_asked_again(app: App, tmp_path: Path, answers: list[bool]) -> None:
    archive = WarcArchive(tmp_path / "warc", "site", "test", 1 << 20)
    fetch_into(app, archive, "http://site.test/a")
    archive.close()
    answers.append(False)
    with pytest.raises(Unavailable):
        stamp_closed_files(app)
    assert verify_archive(app).stamped == 0, "which is no problem of the file"
    answers.append(True)
    assert stamp_closed_files(app) == 1


def test_a_stamp_goes_with_its_file_into_the_backup_and_away(app: App, tmp_path: Path) -> None:
    archive = WarcArchive(tmp_path / "warc", "site", "test", 1 << 20)
    fetch_into(app, archive, "http://site.test/a")
    archive.close()
    stamp_closed_files(app)
    manifest = create_backup(app, tmp_path / "backup", {})
    assert [part.name.partition(".warc.gz")[2] for part in manifest.archive] == ["", ".tsr", ".tsr.pem"]
    (path,) = warc_files(app)
    os.utime(path, (0, 0))
    assert drop_old_captures(app).files == 0, "a capture points into it"
    unused = WarcArchive(tmp_path / "warc", "old", "test", 1 << 20)
    request = Request("http://site.test/b")
    unused.write(record_exchange(request, HtmlResponse(request.url, body=b"b", request=request)))
    unused.close()
    assert stamp_closed_files(app) == 1
    (old,) = set(warc_files(app)) - {path}
    os.utime(old, (0, 0))
    assert drop_old_captures(app).files == 1
    assert not list(old.parent.glob("old-*"))
