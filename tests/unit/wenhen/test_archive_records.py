"""Archives as other programs write them: every record is a page, another record, or refused with its reason."""

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import brotli  # type: ignore[import-untyped]  # it ships no types
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.archives.archived_page import ArchivedPage, OtherRecords, UnusableRecord
from crawler.archives.warc_pages import WindowEnd, WindowPlace, decode_body, read_warc_pages
from wenhen.bulk import archive_reader
from wenhen.bulk.archive_reader import ArchiveItem, read_pages_of_piece, split_into_pieces
from wenhen.kit.remote_files import file_size

OTHERWISE = datetime(2026, 1, 1, tzinfo=UTC)
PAGE = "<!DOCTYPE html><title>桥</title><p>桥下的水涨了三天，船都系在柳树上。</p>".encode()


def in_chunks(body: bytes, size: int = 17, end: bytes = b"\r\n") -> bytes:
    pieces = [body[begin : begin + size] for begin in range(0, len(body), size)]
    return b"".join(b"%x%b%b%b" % (len(piece), end, piece, end) for piece in pieces) + b"0" + end + end


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(body) + packer.flush()


def record(
    number: int, body: bytes = PAGE, headers: Sequence[str] = (), end: bytes = b"\r\n", kind: str = "response"
) -> bytes:
    """A WARC record with a message in it, not packed."""
    head = end.join(line.encode() for line in ("HTTP/1.1 200 OK", "Content-Type: text/html", *headers, "", ""))
    block = head + body
    fields = (
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: http://a.test/{number}",
        "WARC-Date: 2026-03-05T08:00:00Z",
        f"WARC-Record-ID: <urn:uuid:{number}>",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(block)}",
        "",
        "",
    )
    return end.join(field.encode() for field in fields) + block + end * 2


def arc_record(number: int, body: bytes = PAGE) -> bytes:
    block = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    return f"http://a.test/{number} 127.0.0.1 20080102030405 text/html {len(block)}\n".encode() + block + b"\n"


ARC_BEGIN = (
    b"filedesc://a.arc 0.0.0.0 20080102030405 text/plain 76\n1 0 test\n"
    b"URL IP-address Archive-date Content-type Archive-length\n\n"
)


def read_items(path: Path, content: bytes, piece: int = 1 << 20) -> list[ArchiveItem]:
    path.write_bytes(content)
    pieces = split_into_pieces([(str(path), file_size(str(path)))], OTHERWISE, piece)
    return [item for part in pieces for item in read_pages_of_piece(part)]


def pages(items: Sequence[ArchiveItem]) -> list[ArchivedPage]:
    return [item for item in items if isinstance(item, ArchivedPage)]


def count(items: Sequence[ArchiveItem]) -> dict[type, int]:
    others = sum(item.count for item in items if isinstance(item, OtherRecords))
    kinds = Counter(type(item) for item in items if not isinstance(item, OtherRecords))
    return {**kinds, OtherRecords: others} if others else {**kinds}


BODIES: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "chunked": (in_chunks(PAGE), ("Transfer-Encoding: chunked",)),
    "chunked with line feeds": (in_chunks(PAGE, end=b"\n"), ("Transfer-Encoding: chunked",)),
    "chunked, and nobody says so": (in_chunks(PAGE), ()),
    "called chunked, and is not": (PAGE, ("Transfer-Encoding: chunked",)),
    "gzip": (gzip.compress(PAGE), ("Content-Encoding: gzip",)),
    "gzip in chunks": (in_chunks(gzip.compress(PAGE)), ("Transfer-Encoding: chunked", "Content-Encoding: gzip")),
    "gzip, and nobody says so": (gzip.compress(PAGE), ()),
    "gzip of two members": (gzip.compress(PAGE[:50]) + gzip.compress(PAGE[50:]), ("Content-Encoding: gzip",)),
    "gzip with padding": (gzip.compress(PAGE) + bytes(7), ("Content-Encoding: gzip",)),
    "gzip in gzip": (gzip.compress(gzip.compress(PAGE)), ("Content-Encoding: gzip, gzip",)),
    "x-gzip": (gzip.compress(PAGE), ("content-encoding: X-GZIP",)),
    "called gzip, and is not": (PAGE, ("Content-Encoding: gzip",)),
    "called deflate, and is not": (PAGE, ("Content-Encoding: deflate",)),
    "called br, and is not": (PAGE, ("Content-Encoding: br",)),
    "called by a coding that nobody knows": (PAGE, ("Content-Encoding: UTF-8",)),
    "deflate": (zlib.compress(PAGE), ("Content-Encoding: deflate",)),
    "raw deflate": (raw_deflate(PAGE), ("Content-Encoding: deflate",)),
    "brotli": (brotli.compress(PAGE), ("Content-Encoding: br",)),
    "zstd": (zstd.compress(PAGE), ("Content-Encoding: zstd",)),
    "gzip, called deflate": (
        in_chunks(gzip.compress(PAGE)),
        ("Transfer-Encoding: chunked", "Content-Encoding: deflate"),
    ),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
def test_a_body_is_read_whatever_its_headers_say(tmp_path: Path, name: str, end: bytes) -> None:
    body, headers = BODIES[name]
    content = record(0) + record(1, body, headers, end) + record(2)
    for path, packed in (("a.warc", content), ("a.warc.gz", gzip.compress(content))):
        items = read_items(tmp_path / path, packed)
        assert [page.body for page in pages(items)] == [PAGE] * 3
        assert [page.problems for page in pages(items)] == [()] * 3
        assert len(items) == 3


def test_a_body_that_is_cut_is_read_as_far_as_it_goes_and_says_so(tmp_path: Path) -> None:
    long = b"".join(b"<p>%d</p>" % number for number in range(9_000))
    content = record(0, in_chunks(PAGE)[:60], ("Transfer-Encoding: chunked",))
    content += record(1, gzip.compress(long)[:9_000], ("Content-Encoding: gzip",))
    content += record(2).replace(b"WARC-Type", b"WARC-Truncated: length\r\nWARC-Type")
    chunked, packed, truncated = pages(read_items(tmp_path / "a.warc", content))
    assert chunked.body == PAGE[: len(chunked.body)] != b""
    assert long[:9_000] == packed.body[:9_000]
    assert truncated.body == PAGE
    assert [page.problems[0].code for page in (chunked, packed, truncated)] == ["page.short_body"] * 3


def test_a_coding_that_cannot_be_undone_is_a_problem_by_name(tmp_path: Path) -> None:
    items = read_items(tmp_path / "a.warc", record(0, bytes(range(200)), ("Content-Encoding: dcb",)) + record(1))
    refused, page = items
    assert isinstance(refused, UnusableRecord)
    assert (refused.what, refused.reason.code) == ("http://a.test/0", "bulk.unknown_coding")
    assert isinstance(page, ArchivedPage)


def blocks(content: bytes, size: int) -> list[bytes]:
    return [content[begin : begin + size] for begin in range(0, len(content), size)]


def zstd_with_dictionary() -> bytes:
    dictionary = zstd.train_dict([record(number) for number in range(300)], 4_000)
    packed = zstd.compress(dictionary.dict_content)
    frames = [zstd.compress(one, zstd_dict=dictionary) for one in FOUR]
    return b"\x5d\x2a\x4d\x18" + len(packed).to_bytes(4, "little") + packed + b"".join(frames)


def wacz(files: dict[str, bytes], packing: int = ZIP_STORED) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", packing) as package:
        for name, content in {"datapackage.json": b"{}", **files}.items():
            package.writestr(name, content)
    return out.getvalue()


FOUR = [record(0), record(1, kind="request"), record(2), record(3)]
PACKINGS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "each record packed": ("a.warc.gz", lambda: b"".join(map(gzip.compress, FOUR))),
    "packed as a whole": ("a.warc.gz", lambda: gzip.compress(b"".join(FOUR))),
    "two wholes": ("a.warc.gz", lambda: gzip.compress(b"".join(FOUR[:2])) + gzip.compress(b"".join(FOUR[2:]))),
    "records packed, then a whole": ("a.warc.gz", lambda: gzip.compress(FOUR[0]) + gzip.compress(b"".join(FOUR[1:]))),
    "packed in blocks": ("a.warc.gz", lambda: b"".join(map(gzip.compress, blocks(b"".join(FOUR), 100)))),
    "not packed, for all its name": ("a.warc.gz", lambda: b"".join(FOUR)),
    "packed, for all its name": ("a.warc", lambda: b"".join(map(gzip.compress, FOUR))),
    "zstd, each record": ("a.warc.zst", lambda: b"".join(map(zstd.compress, FOUR))),
    "zstd as a whole": ("a.warc.zst", lambda: zstd.compress(b"".join(FOUR))),
    "zstd with a dictionary": ("a.warc.zst", zstd_with_dictionary),
    "WACZ": ("a.wacz", lambda: wacz({"archive/data.warc.gz": b"".join(map(gzip.compress, FOUR))})),
    "WACZ, deflated": ("a.wacz", lambda: wacz({"archive/data.warc.gz": gzip.compress(b"".join(FOUR))}, ZIP_DEFLATED)),
    "WACZ of two": ("a.wacz", lambda: wacz({f"archive/{n}.warc": b"".join(FOUR[n : n + 2]) for n in (0, 2)})),
    "ARC": ("a.arc", lambda: b"".join((ARC_BEGIN, arc_record(0), arc_record(2), arc_record(3)))),
    "ARC, packed": (
        "a.arc.gz",
        lambda: b"".join(map(gzip.compress, (ARC_BEGIN, arc_record(0), arc_record(2), arc_record(3)))),
    ),
    "ARC, as a whole": ("a.arc.gz", lambda: gzip.compress(ARC_BEGIN + arc_record(0) + arc_record(2) + arc_record(3))),
}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("piece", [1 << 20, 300, 90])
def test_an_archive_is_read_however_it_is_packed_and_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packing: str, piece: int
) -> None:
    monkeypatch.setattr(archive_reader, "WINDOW_BYTES", 1 << 20 if piece > 300 else 64)
    name, pack = PACKINGS[packing]
    items = read_items(tmp_path / name, pack(), piece)
    assert [(page.url, page.status, page.body) for page in pages(items)] == [
        (f"http://a.test/{number}", 200, PAGE) for number in (0, 2, 3)
    ]
    assert count(items) == {ArchivedPage: 3, OtherRecords: 1}


DAMAGED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "garbage between records": ("a.warc", lambda: FOUR[0] + b"garbage\r\n" * 9 + b"".join(FOUR[1:])),
    "zeros between records": ("a.warc", lambda: FOUR[0] + bytes(900) + b"".join(FOUR[1:])),
    "garbage between members": (
        "a.warc.gz",
        lambda: gzip.compress(FOUR[0]) + bytes(90) + b"".join(map(gzip.compress, FOUR[1:])),
    ),
    "padding at the end": ("a.warc.gz", lambda: b"".join(map(gzip.compress, FOUR)) + bytes(512)),
    "a file that is no WARC behind it": ("a.warc", lambda: b"".join(FOUR) + b"end of the tape"),
}


@pytest.mark.parametrize("kind", DAMAGED)
@pytest.mark.parametrize("window", [1 << 20, 64])
def test_what_is_no_record_is_refused_once_and_costs_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, window: int
) -> None:
    monkeypatch.setattr(archive_reader, "WINDOW_BYTES", window)
    name, make = DAMAGED[kind]
    assert count(read_items(tmp_path / name, make())) == {ArchivedPage: 3, OtherRecords: 1, UnusableRecord: 1}


WRONG: dict[str, tuple[str, Callable[[], bytes]]] = {
    "too long a length": ("a.warc", lambda: with_length(FOUR[0], 150) + b"".join(FOUR[1:])),
    "too short a length": ("a.warc", lambda: with_length(FOUR[0], -20) + b"".join(FOUR[1:])),
    "a length beyond the file": ("a.warc", lambda: b"".join(FOUR[1:]) + with_length(FOUR[0], 99_999)),
    "no length": ("a.warc", lambda: FOUR[0].replace(b"Content-Length", b"Content-Size") + b"".join(FOUR[1:])),
    "cut off": ("a.warc", lambda: b"".join(FOUR[1:]) + FOUR[0][:-40]),
    "cut off in its head": ("a.warc", lambda: b"".join(FOUR[1:]) + FOUR[0][:40]),
    "cut off, packed": ("a.warc.gz", lambda: b"".join(map(gzip.compress, FOUR[1:])) + gzip.compress(FOUR[0])[:-30]),
    "a wrong sum": (
        "a.warc.gz",
        lambda: gzip.compress(FOUR[0])[:-8] + bytes(8) + b"".join(map(gzip.compress, FOUR[1:])),
    ),
    "cut off in the packed whole": ("a.warc.gz", lambda: gzip.compress(b"".join([*FOUR[1:], FOUR[0]]), 0)[:-60]),
    "zstd, cut off": ("a.warc.zst", lambda: b"".join(map(zstd.compress, FOUR[1:])) + zstd.compress(FOUR[0])[:-30]),
}


def with_length(record: bytes, more: int) -> bytes:
    length = int(record.partition(b"Content-Length: ")[2].partition(b"\r")[0])
    return record.replace(b"Content-Length: %d" % length, b"Content-Length: %d" % (length + more))


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("window", [1 << 20, 64])
def test_a_record_that_is_wrong_costs_itself_alone_and_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, window: int
) -> None:
    monkeypatch.setattr(archive_reader, "WINDOW_BYTES", window)
    name, make = WRONG[kind]
    items = read_items(tmp_path / name, make())
    assert count(items) == {ArchivedPage: 2, OtherRecords: 1, UnusableRecord: 1}
    assert [page.url for page in pages(items)] == ["http://a.test/2", "http://a.test/3"]


def test_a_large_record_is_refused_and_those_behind_it_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = record(0, b"<p>" * (11 << 20))
    video = record(1, b"x" * (40 << 20)).replace(b"WARC-Type: response", b"WARC-Type: metadata")
    bomb = record(4, gzip.compress(bytes(40 << 20)), ("Content-Encoding: gzip",))
    monkeypatch.setattr(archive_reader, "WINDOW_BYTES", 1 << 20)
    items = read_items(tmp_path / "a.warc", large + FOUR[2] + video + FOUR[3] + bomb + FOUR[2])
    assert count(items) == {ArchivedPage: 3, OtherRecords: 1, UnusableRecord: 2}
    assert [item.reason.code for item in items if isinstance(item, UnusableRecord)] == ["bulk.too_large"] * 2


def test_a_package_without_archives_and_one_that_is_none_are_problems_by_name(tmp_path: Path) -> None:
    reasons = []
    for name, content in (
        ("a.wacz", wacz({"pages.jsonl": b""})),
        ("b.wacz", b"no package"),
        ("c.wacz", wacz({"archive/a.warc": FOUR[0]})[:-30]),
    ):
        (item,) = read_items(tmp_path / name, content)
        assert isinstance(item, UnusableRecord)
        reasons.append(item.reason.code)
    assert reasons == ["bulk.no_warc_inside", "bulk.no_zip", "bulk.no_zip"]


def test_a_file_of_another_writer_is_counted_as_it_counts(tmp_path: Path) -> None:
    out = BytesIO()
    writer = WARCWriter(out, gzip=True)
    writer.write_record(writer.create_warcinfo_record("a.warc.gz", {"software": "test"}))
    for number in range(5):
        head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        response = writer.create_warc_record(
            f"http://a.test/{number}", "response", payload=BytesIO(PAGE), http_headers=head
        )
        ask = StatusAndHeaders("GET / HTTP/1.1", [("Host", "a.test")], is_http_request=True)
        request = writer.create_warc_record(f"http://a.test/{number}", "request", http_headers=ask)
        writer.write_request_response_pair(request, response)
        writer.write_record(
            writer.create_revisit_record(f"http://a.test/{number}", "sha1:0", "http://a.test/", "2026-01-01T00:00:00Z")
        )
    writer.write_record(
        writer.create_warc_record("dns:a.test", "response", payload=BytesIO(b"1"), warc_content_type="text/dns")
    )
    items = read_items(tmp_path / "a.warc.gz", out.getvalue())
    assert count(items) == {ArchivedPage: 5, OtherRecords: 12}
    assert {page.body for page in pages(items)} == {PAGE}


@given(st.data(), st.lists(st.binary(max_size=400), min_size=1, max_size=6), st.booleans())
@settings(max_examples=150, deadline=None)
def test_bodies_are_the_same_wherever_windows_end(data: st.DataObject, bodies: list[bytes], arc: bool) -> None:
    content = b"".join(arc_record(n, body) if arc else record(n, body) for n, body in enumerate(bodies))
    expected = [decode_body(body, [("Content-Type", "text/html")], 1 << 20).content for body in bodies]
    found, begin, end = [], 0, 0
    while begin < len(content):
        end = data.draw(st.integers(min(end + 1, len(content)), len(content)))
        last = WindowEnd.FILE_END if end == len(content) else WindowEnd.MORE
        reached = 0
        for item in read_warc_pages(content[begin:end], [WindowPlace(0, begin, 1)], "a", last):
            if isinstance(item, tuple):
                _, reached = item
            else:
                assert isinstance(item, ArchivedPage)
                found.append(item)
        begin += reached
    assert [page.body for page in found] == expected
    assert all(page.place and content[page.place.offset :].startswith((b"WARC/", b"http:")) for page in found)


@given(st.binary(max_size=300), st.sampled_from(["chunked", "gzip", "deflate", "br", "zstd", "x-gzip, br", ""]))
@settings(max_examples=300, deadline=None)
def test_any_body_under_any_header_is_read_or_refused_by_name(body: bytes, coding: str) -> None:
    items = list(
        read_warc_pages(
            record(0, body, (f"Content-Encoding: {coding}", "Transfer-Encoding: chunked")),
            [WindowPlace(0, 0, 1)],
            "a",
            WindowEnd.FILE_END,
        )
    )
    assert sum(not isinstance(item, tuple) for item in items) == 1
