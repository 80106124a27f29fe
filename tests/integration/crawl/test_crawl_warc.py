"""The WARC files of a crawl, read back by a reader that had no part in writing them."""

import gzip
import hashlib
import re
import stat
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fastwarc import ArchiveIterator, WarcRecordType

from crawler.capture import WarcPlace
from crawler.warc.reader import read_body, read_exchange
from tests.support.crawls.crawling import HOST, missed, run
from tests.support.crawls.serving import Handler, serving
from tests.support.servers.certificates import make_certificates
from wenhen.evidence.warc import ExchangeContext, write_warc


class Page(Handler):
    def page(self) -> None:
        self.reply("<p>他把那封旧信从抽屉里取出来，读了两遍，又放回原处。</p>")


def read_back(folder: Path) -> list[dict[str, Any]]:
    """Every record of every file, its digests verified."""
    records = []
    for path in sorted(folder.iterdir()):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, parse_http=False):
                assert record.verify_block_digest(), "the block is what was written"
                is_http = record.record_type in (WarcRecordType.request, WarcRecordType.response)
                if is_http:
                    record.parse_http()
                    assert record.verify_payload_digest(), "and the payload in it"
                records.append(
                    {
                        "file": path.name,
                        "type": record.record_type,
                        "id": record.record_id,
                        "headers": dict(record.headers),
                        "url": record.headers.get("WARC-Target-URI"),
                        "first_line": record.http_headers.status_line if is_http else "",
                        "http": dict(record.http_headers) if is_http else {},
                        "body": record.reader.read(),
                    }
                )
    return records


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("crawl") / "warc"


@pytest.fixture(scope="module")
def crawled(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    result = run("/gzip", "/moved", "/nowhere", "/gbk-as-utf8", "/short", warc_dir=str(folder))
    return result, read_back(folder)


def responses(records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {record["url"].removeprefix(HOST): record for record in records if record["type"] is WarcRecordType.response}


def test_every_response_is_kept_redirects_errors_and_robots_txt_too(crawled: Any) -> None:
    result, records = crawled
    assert set(responses(records)) == {
        "/robots.txt", "/gzip", "/moved", "/one", "/nowhere", "/gbk-as-utf8", "/short",
    }  # fmt: skip
    assert missed(result) == {"failed_http_404": 1}
    assert responses(records)["/nowhere"]["first_line"] == "HTTP/1.1 404 Not Found"
    assert responses(records)["/moved"]["http"]["Location"] == "/one"


def test_the_archive_is_for_its_owner_alone(crawled: Any, folder: Path) -> None:
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_bodies_are_what_was_sent_and_unpack_to_what_was_captured(crawled: Any) -> None:
    result, records = crawled
    page = responses(records)["/gzip"]
    assert page["http"]["Content-Encoding"] == "gzip"
    unpacked = gzip.decompress(page["body"])
    assert hashlib.sha256(unpacked).hexdigest() == result["pages"][f"{HOST}/gzip"]["digest"]
    raw = responses(records)["/gbk-as-utf8"]["body"]
    assert hashlib.sha256(raw).hexdigest() == result["pages"][f"{HOST}/gbk-as-utf8"]["digest"]


def test_a_response_names_its_server_and_is_tied_to_its_request(crawled: Any) -> None:
    _, records = crawled
    requests = {record["url"]: record for record in records if record["type"] is WarcRecordType.request}
    for path, response in responses(records).items():
        request = requests[HOST + path]
        assert request["headers"]["WARC-Concurrent-To"] == response["id"]
        assert request["first_line"] == f"GET {path} HTTP/1.1"
        assert request["http"]["Host"] == "news.wenhen-test.test"
        assert request["http"]["User-Agent"] == "wenhen/0.1 (+https://example.com/contact)"
        assert response["headers"]["WARC-IP-Address"] == "127.0.0.1"


def test_a_capture_points_to_its_response(crawled: Any, folder: Path) -> None:
    result, records = crawled
    assert result["pages"]
    for page in result["pages"].values():
        file, offset, id = page["warc"]
        body = read_body(folder, WarcPlace(file=file, offset=offset, record_id=id))
        assert hashlib.sha256(body).hexdigest() == page["digest"], "content encodings taken off"
        [record] = [record for record in records if record["id"] == id]
        assert (record["file"], record["url"]) == (file, page["url"])


def test_a_response_cut_short_says_so(crawled: Any) -> None:
    _, records = crawled
    assert responses(records)["/short"]["headers"]["WARC-Truncated"] == "disconnect"
    assert "WARC-Truncated" not in responses(records)["/one"]["headers"]


def test_a_file_that_is_large_enough_is_followed_by_another(tmp_path: Path) -> None:
    result = run("/wide", max_pages=6, concurrency=4, warc_dir=str(tmp_path), warc_max_bytes=3000)
    records = read_back(tmp_path)
    files = {record["file"] for record in records}
    assert len(files) > 2
    assert all(name.startswith("news.wenhen-test.test-") and name.endswith(".warc.gz") for name in files)
    infos = [record["file"] for record in records if record["type"] is WarcRecordType.warcinfo]
    assert sorted(infos) == sorted(files), "each file says what wrote it"
    assert {page.removeprefix(HOST) for page in result["pages"]} <= set(responses(records))


def test_a_crawl_whose_evidence_cannot_be_kept_ends_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    result = run("/wide", warc_dir=str(tmp_path / "file"))
    assert not result["pages"]
    assert result["error"].startswith(f"WARC files cannot be written in {tmp_path / 'file'}: ")


def test_beside_a_response_stand_the_resolvers_answer_and_every_certificate_that_the_server_showed(
    tmp_path: Path,
) -> None:
    authority, own = make_certificates(tmp_path)
    (shown := tmp_path / "shown.pem").write_bytes(own.read_bytes() + authority.read_bytes())
    with serving(Page, certificate=shown) as place:
        url = f"https://localhost:{place.rpartition(':')[2]}/"
        result = run(url, host_map={}, warc_dir=str(tmp_path / "warc"))
    [page] = result["pages"].values()
    file, offset, id = page["warc"]
    exchange = read_exchange(tmp_path / "warc", WarcPlace(file=file, offset=offset, record_id=id))
    assert exchange.name is not None
    assert exchange.name.target == "dns:localhost"
    assert b"localhost. IN A 127.0.0.1\n" in exchange.name.content
    assert exchange.connection is not None
    certificates = re.findall(r"certificate: -----BEGIN CERTIFICATE----- (.+?) -----END", exchange.connection.decode())
    shown_pem = "".join(shown.read_text().split())
    assert len(certificates) == 2, "its own and that of its authority"
    assert all("".join(one.split()) in shown_pem for one in certificates)
    warc = write_warc(exchange, ExchangeContext(url=url, at=datetime.now(UTC), server_address="127.0.0.1", about={}))
    again = {
        record.headers["WARC-Type"]: record.reader.read() for record in ArchiveIterator(BytesIO(warc), parse_http=False)
    }
    assert again["resource"] == exchange.name.content
    assert again["metadata"] == exchange.connection
