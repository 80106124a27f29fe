"""Which works stand in a training set, how much of each, and where."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from tests.support.way import made_text, opened, store_work, work_through
from wenhen.bulk.commands import bulk
from wenhen.bulk.frozen_library import freeze_to_url
from wenhen.kit.errors import NotFound
from wenhen.runtime.embedded.servers import ServerAddresses

BOOK, OTHER = made_text("book", 900), made_text("other", 900)
NOISE = [made_text(f"noise {number}", 300) for number in range(6)]


@pytest.fixture
def library(servers: ServerAddresses, tmp_path: Path) -> Path:
    """A frozen library of two works."""
    with opened(servers, tmp_path / "data") as app:
        store_work(app, "book", BOOK)
        store_work(app, "other", OTHER)
        work_through(app)
        freeze_to_url(app, str(tmp_path / "library"))
    return tmp_path / "library"


def ask(library: Path, out: Path, *arguments: str) -> Result:
    fixed = ["--library", str(library), "--workers", "0", "--shards", "2", "--out", str(out), "--json"]
    return CliRunner().invoke(bulk, ["training-set", *arguments, *fixed])


def places(out: Path) -> list[dict[str, str]]:
    with (out / "places.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_wet(path: Path, texts: dict[str, str]) -> None:
    """A WET file as Common Crawl writes them: each record compressed by itself."""
    with path.open("wb") as file:
        for number, (url, text) in enumerate(texts.items()):
            body = text.encode()
            head = (
                f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {url}\r\n"
                f"WARC-Date: 2026-02-01T00:00:0{number}Z\r\n"
                f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000{number}>\r\n"
                f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + body + b"\r\n\r\n"))


def test_the_same_book_is_found_in_wet_parquet_and_json_lines_with_its_places(library: Path, tmp_path: Path) -> None:
    write_wet(tmp_path / "a.warc.wet.gz", {"http://a.test/1": NOISE[0], "http://a.test/2": NOISE[1] + BOOK[100:400]})
    rows = [{"text": NOISE[2]}, {"text": BOOK[:300]}, {"text": BOOK[:300]}, {"text": NOISE[3] + BOOK[500:800]}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "b.parquet", row_group_size=2)
    (tmp_path / "sub").mkdir()
    pq.write_table(pa.Table.from_pylist(rows[1:2]), tmp_path / "sub" / "b.parquet")  # of the same name
    lines = [
        {"content": NOISE[4], "url": "https://same.test/"},
        {"content": BOOK[600:900], "url": "https://same.test/"},
    ]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (tmp_path / "c.jsonl").write_text(text, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("a.warc.wet.gz", "b.parquet", "sub/b.parquet", "c.jsonl")]
    result = ask(library, tmp_path / "out", *files)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["looked_at"], told["refused"], told["looked_for"]) == (9, 0, 2)
    (work,) = told["works"]
    assert (work["id"], work["places"]) == ("book", 6)
    assert work["share"] == pytest.approx(800 / len(BOOK), abs=0.01), "0 to 400 and 500 to 900, each once"
    second_line = text.encode().index(b"\n") + 1
    told_places = sorted(place["place"] for place in places(tmp_path / "out"))
    expected = ["b.parquet 0:0", "b.parquet 0:1", "b.parquet 1:0", "b.parquet 1:1", f"c.jsonl @{second_line}"]
    assert told_places == [*expected, "http://a.test/2"]
    addresses = {place["place"]: place["address"] for place in places(tmp_path / "out")}
    assert addresses[f"c.jsonl @{second_line}"] == "https://same.test/"
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "b.parquet 1:1" in page
    assert ask(library, tmp_path / "out", *files).exit_code == 0  # goes on where it was: nothing is left


def test_columns_are_named_also_inside_of_lists_and_what_has_none_is_counted(library: Path, tmp_path: Path) -> None:
    talk = [{"role": "user", "content": NOISE[0]}, {"role": "assistant", "content": OTHER[200:600]}]
    rows: list[dict[str, Any]] = [{"messages": talk}, {"messages": []}, {"messages": None}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "talk.parquet")
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "talk.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    files = [str(tmp_path / name) for name in ("talk.parquet", "talk.jsonl.gz")]
    result = ask(library, tmp_path / "out", *files, "--text", "messages.content")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert (told["looked_at"], told["refused"]) == (2, 4)
    assert {place["place"] for place in places(tmp_path / "out")} == {"talk.parquet 0:0", "talk.jsonl.gz @0"}
    assert "messages.content" in (tmp_path / "out" / "problems.jsonl").read_text(encoding="utf-8")
    without = ask(library, tmp_path / "none", files[1])
    assert without.exit_code == 1
    assert json.loads(without.stdout)["works"] == []
    refused = ask(library, tmp_path / "web", str(tmp_path / "absent.parquet"))
    assert isinstance(refused.exception, NotFound)


def test_text_that_many_rows_share_is_no_template_and_titles_cannot_be_formulas(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path / "data") as app:
        store_work(app, "book", BOOK, title='=cmd|"<b>"')
        work_through(app)
        freeze_to_url(app, str(tmp_path / "library"))
    shared = BOOK[100:400].replace("\n", "")
    rows = [{"text": f"{made_text(f'own {number}', 200)}\n{shared}"} for number in range(30)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "many.parquet")
    result = ask(tmp_path / "library", tmp_path / "out", str(tmp_path / "many.parquet"))
    (work,) = json.loads(result.stdout)["works"]
    assert work["places"] == 30
    assert all(place["work"].startswith("'=") for place in places(tmp_path / "out"))
    assert "<b>" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
