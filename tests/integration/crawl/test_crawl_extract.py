"""`wenhen extract` on files, folders and the pages of a real server, without any store."""

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands.forked import run_forked
from tests.support.commands.launching import PROGRAM

STORY = "渡船靠岸的时候，天已经黑透了，船夫点起一盏马灯，照着他们一个一个跳上石阶。"
PAGE = f"<html><head><title>渡口_试验</title></head><body><p>{STORY}</p><a href=/next>下一页</a></body></html>"


class Site(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        body = PAGE.encode("gb18030")
        self.send_response(200 if self.path in ("/ferry", "/next") else 404)
        self.send_header("Content-Type", "text/html; charset=gb2312")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def wenhen_extract(*what: str | Path, data: Path) -> tuple[int, list[dict[str, Any]], str]:
    """Status, lines and what stands on stderr. `data` is where a server would leave its files if one were started."""
    command = [PROGRAM, "--data", str(data), "extract", *map(str, what)]
    done = run_forked(command, os.environ, Path.cwd(), stdin="")
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_files_and_folders_are_read_and_named_and_no_server_is_started(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    (folder / "deeper").mkdir(parents=True)
    (folder / "a.html").write_text(PAGE, encoding="utf-8")
    (folder / "deeper" / "b.HTM").write_text(PAGE, encoding="gb18030")
    (folder / "notes.md").write_text(PAGE, encoding="utf-8")
    single = tmp_path / "a.html"
    single.write_text(PAGE, encoding="utf-8")
    status, lines, complaints = wenhen_extract(folder, single, data=tmp_path / "data")
    assert (status, complaints) == (0, "")
    assert [(line["id"], line["charset"]) for line in lines] == [
        ("a.html", "utf-8"),
        ("deeper/b.HTM", "gb18030"),
        (str(single), "utf-8"),
    ]
    assert all(line["text"] == STORY and line["title"] == "渡口" and line["problems"] == [] for line in lines)
    assert all("author" not in line for line in lines), "what a page does not state is left out"
    assert not (tmp_path / "data").exists()


def test_what_cannot_be_read_is_told_and_the_rest_is_printed(tmp_path: Path) -> None:
    page = tmp_path / "odd.name"
    page.write_text(PAGE, encoding="utf-8")
    (tmp_path / "empty").mkdir()
    status, lines, complaints = wenhen_extract(tmp_path / "gone.html", tmp_path / "empty", page, data=tmp_path / "data")
    assert status == 1
    assert [line["id"] for line in lines] == ["odd.name"]
    assert "gone.html: no such file or folder" in complaints
    assert "empty: holds no file that ends in .html" in complaints
    assert complaints.splitlines()[-1] == "Error: 2 could not be read"


def test_addresses_are_fetched_and_nothing_that_they_link_to(tmp_path: Path, site: str) -> None:
    status, lines, complaints = wenhen_extract("--internal", f"{site}/ferry#end", f"{site}/no", data=tmp_path / "data")
    assert status == 1
    assert [(line["id"], line["text"], line["charset"]) for line in lines] == [(f"{site}/ferry", STORY, "gb18030")]
    assert f"{site}/no: the server answered 404" in complaints
    assert not (tmp_path / "data").exists()


def test_a_private_address_is_refused_unless_it_is_meant(tmp_path: Path, site: str) -> None:
    status, lines, complaints = wenhen_extract(f"{site}/ferry", data=tmp_path / "data")
    assert (status, lines) == (1, [])
    assert "at a private address" in complaints
