"""Archives in every form give their pages, however they are cut into pieces; what is damaged costs itself alone."""

import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from crawler.archives.archived_page import ArchivedPage, OtherRecords, UnusableRecord
from tests.support.archives import BEGUN, Sent, response, sent, warc_record, write_warc
from wenhen.bulk import archive_reader, unpacking
from wenhen.bulk.archive_reader import ArchiveForm, archive_form, read_pages_of_piece, split_into_pieces
from wenhen.bulk.unpacking import BlockReader, unpack_archive
from wenhen.kit.errors import BadInput, NotFound, Unavailable
from wenhen.kit.remote_files import expand_url, file_size, join_url, read_whole_file, write_whole_file

OTHERWISE = datetime(2026, 1, 1, tzinfo=UTC)
PAGES = sent((f"http://a.test/{number}", f"<p>{number}</p>".encode() * (number * 40)) for number in range(12))


def found_in(url: str, size: int = 1 << 20) -> list[ArchivedPage | UnusableRecord]:
    pieces = split_into_pieces([(url, file_size(url))], OTHERWISE, size)
    items = (item for piece in pieces for item in read_pages_of_piece(piece))
    return [item for item in items if not isinstance(item, OtherRecords)]


def bodies(found: Sequence[ArchivedPage | UnusableRecord]) -> list[tuple[str, bytes, datetime]]:
    return [(one.url, one.body, one.fetched_at) for one in found if isinstance(one, ArchivedPage)]


def as_sent(pages: Sequence[Sent]) -> list[tuple[str, bytes, datetime]]:
    return [(page.url, page.body, page.fetched_at) for page in pages]


def warc(folder: Path) -> tuple[Path, dict[Sent, int]]:
    places = write_warc(folder / "a.warc.gz", PAGES)
    return folder / "a.warc.gz", {page: place.offset for page, place in places.items()}


@pytest.mark.parametrize("size", [1 << 20, 900, 250])
@pytest.mark.parametrize("window", [1 << 20, 300])
def test_a_warc_file_gives_each_page_once_however_it_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, window: int
) -> None:
    monkeypatch.setattr(archive_reader, "WINDOW_BYTES", window)
    path, offsets = warc(tmp_path)
    found = found_in(str(path), size)
    assert bodies(found) == as_sent(PAGES)
    assert [one.place.offset for one in found if isinstance(one, ArchivedPage) and one.place] == [*offsets.values()]
    assert all(one.headers[0][0] == "Content-Type" for one in found if isinstance(one, ArchivedPage))


@pytest.mark.parametrize("damaged", [0, 30, 200])  # the magic bytes, the header, the body
@pytest.mark.parametrize("window", [1 << 20, 300])
def test_a_damaged_record_is_told_and_the_next_ones_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: int, window: int
) -> None:
    monkeypatch.setattr(archive_reader, "WINDOW_BYTES", window)
    path, offsets = warc(tmp_path)
    content = bytearray(path.read_bytes())
    at = offsets[PAGES[4]] + damaged
    content[at : at + 20] = bytes(20)
    path.write_bytes(content)
    found = found_in(str(path))
    assert bodies(found) == as_sent([*PAGES[:4], *PAGES[5:]])
    assert len(found) == len(PAGES)


def test_a_file_that_is_no_archive_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "no.warc.gz").write_bytes(b"no archive" * 100)
    assert [type(one) for one in found_in(str(tmp_path / "no.warc.gz"))] == [UnusableRecord]


def test_wet_and_uncompressed_warc_and_other_records(tmp_path: Path) -> None:
    text = "  首页  \n\n  渡口的灯亮了。 \n"
    wet = warc_record("warcinfo", "", BEGUN, b"-") + warc_record("conversion", "http://a.test/", BEGUN, text.encode())
    (tmp_path / "a.warc.wet.gz").write_bytes(wet)
    (page,) = found_in(str(tmp_path / "a.warc.wet.gz"))
    assert isinstance(page, ArchivedPage)
    assert page.text == "首页\n渡口的灯亮了。"
    plain = gzip.decompress(warc_record("request", "http://a.test/", BEGUN, b"GET / HTTP/1.1\r\n\r\n"))
    (tmp_path / "a.warc").write_bytes(plain + gzip.decompress(response(PAGES[3], "404 Not Found")))
    (answer,) = found_in(str(tmp_path / "a.warc"))
    assert isinstance(answer, ArchivedPage)
    assert (answer.status, answer.body) == (404, PAGES[3].body)


ROWS = [
    {"url": "http://a.test/html", "html": "<p>一</p>", "date": "2026-03-04T05:06:07+08:00"},
    {"url": "http://a.test/text", "text": " 二 \n\n三 ", "title": "题"},
    {"url": "none", "text": "四"},
    {"url": "http://a.test/empty"},
]
AT = datetime(2026, 3, 3, 21, 6, 7, tzinfo=UTC)


def check_rows(found: Sequence[ArchivedPage | UnusableRecord]) -> None:
    first, second = (one for one in found if isinstance(one, ArchivedPage))
    assert (first.url, first.body, first.text, first.fetched_at) == (ROWS[0]["url"], "<p>一</p>".encode(), None, AT)
    assert (second.text, second.title, second.fetched_at) == ("二\n三", "题", OTHERWISE)
    assert len(found) == 4


@pytest.mark.parametrize("size", [1 << 20, 60, 7])
@pytest.mark.parametrize("packed", [False, True])
def test_json_lines_give_their_pages_however_they_are_cut(tmp_path: Path, size: int, packed: bool) -> None:
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS).encode()
    path = tmp_path / ("a.jsonl.gz" if packed else "a.jsonl")
    path.write_bytes(gzip.compress(lines[:50]) + gzip.compress(lines[50:]) if packed else lines)
    check_rows(found_in(str(path), size))


def test_lines_that_are_no_objects_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"url":\n\n[]\n' + json.dumps(ROWS[0]))
    found = found_in(str(tmp_path / "a.jsonl"))
    assert [type(one) for one in found] == [UnusableRecord, UnusableRecord, ArchivedPage]


@pytest.mark.parametrize("size", [1 << 20, 1])
def test_parquet_gives_its_rows_and_other_columns_are_not_read(tmp_path: Path, size: int) -> None:
    names = ("url", "html", "text", "title", "date")
    columns = {name: [row.get(name) for row in ROWS] for name in names} | {"other": [bytes(10_000)] * 4}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet", row_group_size=2)
    url = str(tmp_path / "a.parquet")
    pieces = split_into_pieces([(url, file_size(url))], OTHERWISE, size)
    assert len(pieces) == (1 if size > 1 else 2)
    check_rows(found_in(url, size))


@pytest.mark.parametrize("broken", [b"", b"no table", b"PAR1" + bytes(60) + b"\xff\xff\x00\x00PAR1"])
def test_a_parquet_file_that_cannot_be_read_is_refused_by_name_and_the_others_are_read(
    tmp_path: Path, broken: bytes
) -> None:
    columns = {name: [row.get(name) for row in ROWS] for name in ("url", "html", "text", "title", "date")}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "b.parquet")
    (tmp_path / "a.parquet").write_bytes(broken)
    files = [(str(path), file_size(str(path))) for path in sorted(tmp_path.glob("*.parquet"))]
    first, *others = [item for piece in split_into_pieces(files, OTHERWISE) for item in read_pages_of_piece(piece)]
    assert isinstance(first, UnusableRecord)
    assert first.what == "a.parquet"
    check_rows([item for item in others if not isinstance(item, OtherRecords)])


def test_a_member_that_unpacks_without_end_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MIN_BOMB_BYTES", 1 << 20)
    bomb = gzip.compress(bytes(8 << 20), 9)
    parts = list(unpack_archive(BlockReader(lambda begin, end: bomb[begin:end], len(bomb)), 0, len(bomb)))
    assert parts[-1].damaged
    assert sum(len(part.content) for part in parts) < 8 << 20


def test_files_are_found_by_wildcards_and_folders_in_memory_too() -> None:
    for name in ("b.warc.gz", "a.warc.gz", "c.txt"):
        write_whole_file(f"memory://archive/{name}", name.encode())
    names = [f"memory:///archive/{name}" for name in ("a.warc.gz", "b.warc.gz")]
    assert expand_url("memory://archive/*.warc.gz") == names
    assert expand_url("memory://archive") == [*names, "memory:///archive/c.txt"]
    assert read_whole_file(join_url("memory://archive/", "c.txt")) == b"c.txt"
    with pytest.raises(NotFound, match="no file at memory://nowhere"):
        expand_url("memory://nowhere")


def test_what_cannot_be_read_is_told_with_what_to_do() -> None:
    assert archive_form("https://a.test/x.warc.gz?token=1") is ArchiveForm.WARC
    with pytest.raises(BadInput, match=r"\.parquet"):
        archive_form("a.zip")
    with pytest.raises(Unavailable, match="check address and rights"):
        file_size("http://127.0.0.1:9/a.warc.gz")
