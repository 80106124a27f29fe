"""The command from end to end, as a newcomer types it: works in, a site crawled, cases and the report out."""

import json
import os
import random
import signal
import socket
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import openpyxl
import pytest

from tests.support.commands.command import Command
from tests.support.local_site import served
from tests.support.way import CHARACTERS, made_page, made_text, wait_for
from wenhen.runtime.embedded.servers import read_server_states, stop_servers
from wenhen.runtime.embedded.watchdog import stop_when_idle

RIVER, SNOW, CLOUD, STONE = (made_text(name) for name in ("river", "snow", "cloud", "stone"))
TEN = "风吹过了河边的芦苇。"
BIG_BYTES = 17_000_000  # more than a document of MongoDB holds
HTML = "text/html; charset=utf-8"

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def wenhen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    folder = tmp_path_factory.mktemp("newcomer")
    yield Command(folder / "home", folder / "data")
    stop_servers(folder / "data")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Works, and all sorts of files that are none."""
    made = tmp_path_factory.mktemp("works")
    (made / "river.txt").write_text(RIVER, encoding="utf-8")
    (made / "snow.md").write_bytes(f"# 雪落无声\n\n{SNOW}\n".encode("gb18030"))
    (made / "short.txt").write_text(TEN, encoding="utf-8")
    (made / "big.txt").write_bytes(big_text().encode())
    rows = [{"id": "c-1", "title": "云", "text": CLOUD}, {"id": "c-1", "title": "又一朵云", "text": STONE}]
    (made / "clouds.jsonl").write_text("\n".join([*(json.dumps(row) for row in rows), "{no json"]), encoding="utf-8")
    with zipfile.ZipFile(made / "stone.zip", "w") as archive:
        archive.writestr("石头.txt", STONE)
    (made / "empty.txt").write_bytes(b"")
    (made / "noise.txt").write_bytes(random.Random(1).randbytes(3000))
    (made / "broken.zip").write_bytes((made / "stone.zip").read_bytes()[:200])
    (made / "broken.epub").write_bytes(b"PK\x03\x04 this is no book")
    (made / "scan.pdf").write_bytes(b"%PDF-1.7")
    return made


def big_text() -> str:
    """A text of 17 MB in lines of a hundred characters, two thirds of them blank: what is stored is as large, and there
    is less to match.
    """
    letters = np.array(CHARACTERS)[np.random.default_rng(5).integers(0, len(CHARACTERS), BIG_BYTES // 3)]
    lines = letters[: len(letters) // 100 * 100].reshape(-1, 100)
    lines[:, 33:], lines[:, 33], lines[:, 99] = "\u3000", "。", "\n"
    return lines.tobytes().decode("utf-32-le")


@pytest.fixture(scope="module")
def imported(wenhen: Command, folder: Path) -> dict[str, Any]:
    """What the first import printed."""
    printed: dict[str, Any] = wenhen.json("works", "import", folder)
    return printed


@pytest.fixture(scope="module")
def pages() -> dict[str, tuple[str, bytes]]:
    links = "".join(f"<li><a href='/{name}.html'>{name}</a></li>" for name in ("copy", "own", "empty", "lies", "gone"))
    return {
        "/": (HTML, f"<html><body><h1>目录</h1><ul>{links}</ul></body></html>".encode()),
        "/copy.html": (HTML, made_page("转载一篇", f"{made_text('before', 80)}\n{RIVER}")),
        "/own.html": (HTML, made_page("自己写的", made_text("own"))),
        "/empty.html": (HTML, b"<html><body><img src='/a.png'></body></html>"),
        "/lies.html": (HTML, made_page("雪", SNOW).decode().replace("utf-8", "utf8").encode("gb18030")),
    }


@pytest.fixture(scope="module")
def site(pages: dict[str, tuple[str, bytes]]) -> Iterator[str]:
    with served(pages) as address:
        yield address


@pytest.fixture(scope="module")
def crawled(wenhen: Command, imported: dict[str, Any], site: str) -> dict[str, Any]:
    """What the first crawl printed."""
    wenhen.run("sites", "add", f"{site}/", "--id", "local", "--name", "本机", "--internal")
    printed: dict[str, Any] = wenhen.json("crawl", "local")
    return printed


def ids(works: list[dict[str, Any]]) -> dict[str, str]:
    return {work["title"]: work["id"] for work in works}


def test_an_import_takes_what_is_good_and_says_of_the_rest_why_not(imported: dict[str, Any], folder: Path) -> None:
    assert len(imported["new"]) == 6
    assert (imported["changed"], imported["unchanged"]) == ([], [])
    reasons = {Path(one["what"]).name: one["reason"] for one in imported["refused"]}
    assert set(reasons) == {
        *("empty.txt", "noise.txt", "broken.zip", "broken.epub", "scan.pdf"),
        *("clouds.jsonl:2", "clouds.jsonl:3"),
    }
    assert "empty" in reasons["empty.txt"]
    assert "not text" in reasons["noise.txt"]
    assert "broken archive" in reasons["broken.zip"]
    assert "broken archive" in reasons["broken.epub"]
    assert "not a whole PDF" in reasons["scan.pdf"]
    assert "'c-1' stands in line 1" in reasons["clouds.jsonl:2"]
    assert "not valid JSON" in reasons["clouds.jsonl:3"]


def test_the_same_import_twice_changes_nothing(wenhen: Command, imported: dict[str, Any], folder: Path) -> None:
    before = wenhen.json("works", "list")
    again = wenhen.json("works", "import", folder)
    assert (again["new"], again["changed"]) == ([], [])
    assert sorted(again["unchanged"]) == sorted(imported["new"])
    assert wenhen.json("works", "list") == before


def test_all_works_are_listed_as_done_and_the_short_one_is_marked(wenhen: Command, imported: dict[str, Any]) -> None:
    works = wenhen.json("works", "list")
    assert {work["title"] for work in works} == {"river", "雪落无声", "short", "big", "云", "石头"}
    assert {work["progress"]["step"] for work in works} == {"done"}
    assert {work["title"]: work["note"] for work in works if work["note"]} == {"short": "too_short"}
    assert [work["id"] for work in wenhen.json("works", "list", "-q", "落无")] == [ids(works)["雪落无声"]]
    table = wenhen.run("works", "list").stdout
    assert "雪落无声" in table
    assert "6 / 6" in table


def test_what_the_terminal_cannot_show_or_take_ends_no_command_in_a_traceback(
    wenhen: Command, imported: dict[str, Any]
) -> None:
    command, surroundings = wenhen.arguments("works", "list"), wenhen.environment()
    ascii_only = {**surroundings, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=ascii_only, capture_output=True, text=True, check=True)
    assert "\\u96ea\\u843d\\u65e0\\u58f0" in done.stdout
    with Path("/dev/full").open("w") as full:
        failed = subprocess.run(command, env=surroundings, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (failed.returncode, failed.stderr) == (1, "Error: the output: No space left on device\n")


def test_a_work_is_shown_with_its_text(wenhen: Command, imported: dict[str, Any]) -> None:
    id = ids(wenhen.json("works", "list"))["雪落无声"]
    shown = wenhen.json("works", "show", id, "--text")
    assert (shown["version"], shown["text"]) == (1, SNOW)
    assert "雪落无声" in wenhen.run("works", "show", id).stdout
    assert "nobody" in wenhen.refusal("works", "show", "nobody")


def test_an_import_of_nothing_good_is_refused(wenhen: Command, folder: Path) -> None:
    assert "nothing was imported: 2 refused" in wenhen.refusal("works", "import", folder / "empty.txt", "/no/such/file")


def test_a_text_is_scanned_from_a_file_a_folder_and_standard_input(
    wenhen: Command, imported: dict[str, Any], tmp_path: Path
) -> None:
    suspect = f"{made_text('before', 100)}\n{RIVER[100:400]}\n{made_text('after', 100)}"
    (tmp_path / "suspect.txt").write_text(suspect, encoding="utf-8")
    (tmp_path / "innocent.txt").write_text(made_text("innocent"), encoding="utf-8")
    river = ids(wenhen.json("works", "list"))["river"]
    for what, given in ((tmp_path / "suspect.txt", ""), (tmp_path, ""), ("-", suspect)):
        lines = wenhen.run("scan", what, "--json", stdin=given).stdout.splitlines()
        [finding] = [json.loads(line) for line in lines]
        assert finding["work_id"] == river
        passage = finding["passage"]
        assert suspect[passage["page_start"] : passage["page_end"]] == finding["page_text"]
        assert RIVER[passage["work_start"] : passage["work_end"]] == finding["work_text"]
        assert RIVER[110:390] in finding["work_text"]
    for_people = wenhen.run("scan", tmp_path)
    assert "river" in for_people.stdout
    assert f"{tmp_path / 'innocent.txt'}: 未发现抄袭 nothing copied" in for_people.stderr


def test_a_passage_deep_inside_17_mb_is_found(wenhen: Command, imported: dict[str, Any]) -> None:
    passage = big_text()[4_345_600:][:1_800]
    [line] = wenhen.run("scan", "-", "--json", stdin=passage).stdout.splitlines()
    finding = json.loads(line)
    assert finding["work_title"] == "big"
    assert finding["share_of_page"] > 0.95
    assert abs(finding["passage"]["work_start"] - 4_345_600) < 10


def test_what_cannot_be_scanned_is_named_and_the_rest_is_scanned(
    wenhen: Command, imported: dict[str, Any], folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "suspect.txt").write_text(RIVER, encoding="utf-8")
    done = wenhen.run("scan", tmp_path, "--json", status=1)
    assert [json.loads(line)["work_title"] for line in done.stdout.splitlines()] == ["river"]
    assert "empty.txt" in done.stderr
    assert "1 could not be read" in done.stderr


def test_a_common_text_is_added_accuses_nobody_and_is_removed(
    wenhen: Command, imported: dict[str, Any], tmp_path: Path
) -> None:
    text = tmp_path / "河.txt"
    text.write_text(RIVER, encoding="utf-8")
    assert wenhen.run("scan", text, "--json").stdout, "the work accuses it"
    [id] = wenhen.json("common", "add", text)["new"]
    assert [one["id"] for one in wenhen.json("common", "list")] == [id]
    assert id not in {one["id"] for one in wenhen.json("works", "list")}
    assert wenhen.run("scan", text, "--json").stdout == ""
    wenhen.run("common", "remove", "河")
    assert wenhen.json("common", "list") == []
    assert wenhen.run("scan", text, "--json").stdout
    assert "no common text" in wenhen.refusal("common", "remove", "河")


def test_sites_are_added_listed_and_removed(wenhen: Command) -> None:
    added = wenhen.json("sites", "add", "http://news.example/", "--every", "6", "--max-pages", "30")
    assert (added["id"], added["interval_hours"], added["max_pages"], added["internal"]) == (
        *("news.example", 6, 30),
        False,
    )
    assert "news.example" in {site["id"] for site in wenhen.json("sites", "list")}
    assert "news.example" in wenhen.run("sites", "list").stdout
    assert "there already" in wenhen.refusal("sites", "add", "http://news.example/")
    assert "ftp://news.example" in wenhen.refusal("sites", "add", "ftp://news.example")
    wenhen.run("sites", "remove", "news.example")
    assert "news.example" in wenhen.refusal("sites", "remove", "news.example")


def test_a_crawl_fetches_the_site_and_says_what_it_could_not(wenhen: Command, crawled: dict[str, Any]) -> None:
    assert (crawled["subject"], crawled["problem"]) == ("local", None)
    assert (crawled["counts"]["fetched"], crawled["counts"]["failed"]) == (5, 2), (
        "one dead link, and one in the navigation"
    )
    assert crawled["ended_at"]
    told = wenhen.json("doctor")
    assert told["pages"] == {"done": 5}
    [missing] = [one for one in told["problems"] if one["which"]["kind"] == "http_404"]
    assert (missing["which"]["where"], missing["count"]) == ("crawl", 2), (
        "told by kind: dead links do not fill the screen"
    )


def test_the_copies_are_cases_and_the_other_pages_are_not(wenhen: Command, crawled: dict[str, Any], site: str) -> None:
    cases = wenhen.json("cases", "list")
    assert {(case["page_url"], case["work_title"]) for case in cases} == {
        (f"{site}/copy.html", "river"),
        (f"{site}/lies.html", "雪落无声"),
    }
    by_host = wenhen.json("cases", "list", "--host", "127.0.0.1", "--status", "lead", "--work", cases[0]["work_id"])
    assert [case["number"] for case in by_host] == [cases[0]["number"]]
    shown = wenhen.json("cases", "show", str(cases[0]["number"]))
    for passage in shown["passages"]:
        assert passage["page_text"].split() == passage["work_text"].split()
    assert cases[0]["page_url"] in wenhen.run("cases", "show", str(cases[0]["number"])).stdout.replace("\n", "")
    assert "999" in wenhen.refusal("cases", "show", "999")
    assert "no case has the number 999" in wenhen.refusal("cases", "decide", "confirmed", "1", "999")
    assert wenhen.json("cases", "show", "1")["status"] == "lead", "where one is not there nothing is done"
    assert "not moved" in wenhen.refusal("cases", "decide", "removed", "1")
    assert "a licence needs" in wenhen.refusal("licences", "add", "晨读网", " ")
    [match] = wenhen.json("works", "show", cases[0]["work_id"])["matches"]
    assert match["page_id"] == cases[0]["page_id"]


def test_an_address_of_the_site_is_scanned_without_being_stored(
    wenhen: Command, crawled: dict[str, Any], pages: dict[str, tuple[str, bytes]], site: str
) -> None:
    pages["/late.html"] = (HTML, made_page("后来的", STONE))
    finding = json.loads(wenhen.run("scan", f"{site}/late.html", "--json").stdout)
    assert finding["work_title"] == "石头"
    assert wenhen.json("doctor")["pages"] == {"done": 5}


def test_what_cannot_be_crawled_is_refused(wenhen: Command, crawled: dict[str, Any]) -> None:
    assert "nowhere" in wenhen.refusal("crawl", "nowhere")
    told = wenhen.refusal("crawl", "http://127.0.0.2:1/")
    assert "nothing was fetched: http://127.0.0.2:1/: 127.0.0.2 is at a private address" in told
    with served({"/": (HTML, made_page("内网", STONE))}) as private:
        other_name = private.replace("127.0.0.1", "localhost")
        assert "private" in wenhen.refusal("scan", f"{other_name}/")
    nowhere = wenhen.run("scan", "http://nowhere.invalid/", status=1).stderr
    assert "the host name cannot be resolved" in nowhere
    assert nowhere.strip().count("\n") == 0, "one line, whatever fails inside"


def test_the_report_opens_again_as_a_workbook_and_as_json(
    wenhen: Command, crawled: dict[str, Any], tmp_path: Path
) -> None:
    for name in ("report.xlsx", "report.json"):
        assert "2 cases" in wenhen.run("report", "--out", tmp_path / name).stderr
    workbook = openpyxl.load_workbook(tmp_path / "report.xlsx")
    cells = {str(cell) for sheet in workbook for row in sheet.iter_rows(values_only=True) for cell in row if cell}
    assert any("copy.html" in cell for cell in cells)
    assert any("雪落无声" in cell for cell in cells)
    written = json.dumps(json.loads((tmp_path / "report.json").read_text(encoding="utf-8")), ensure_ascii=False)
    assert "copy.html" in written
    assert "雪落无声" in written
    assert "1 cases" in wenhen.run("report", "1", "--out", tmp_path / "one.json").stderr


def test_a_report_that_cannot_be_written_is_refused_and_leaves_nothing(
    wenhen: Command, crawled: dict[str, Any], tmp_path: Path
) -> None:
    assert ".csv or .json" in wenhen.refusal("report", "--out", tmp_path / "report.doc")
    assert "one case" in wenhen.refusal("report", "--out", tmp_path / "all.html")
    (tmp_path / "file").write_text("")
    assert "cannot be written" in wenhen.refusal("report", "--out", tmp_path / "file" / "report.json")
    (tmp_path / ".full.json.part").symlink_to("/dev/full")
    assert "No space left on device" in wenhen.refusal("report", "--out", tmp_path / "full.json")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_indexes_are_whole_and_can_be_built_anew(wenhen: Command, crawled: dict[str, Any]) -> None:
    before = wenhen.json("index", "stats")
    assert before["work"]["postings"] > before["page"]["postings"] > 0
    verified = wenhen.json("index", "verify")
    assert {kind: row["missing"] for kind, row in verified.items()} == {"work": 0, "page": 0}
    wenhen.run("index", "rebuild", "page")
    after = wenhen.json("index", "stats")
    assert after["page"]["generation"] != before["page"]["generation"]
    assert after["work"]["generation"] == before["work"]["generation"]
    assert after["page"]["postings"] == before["page"]["postings"]
    assert wenhen.json("index", "verify")["page"]["missing"] == 0


def test_the_doctor_says_what_runs_and_in_which_version(wenhen: Command, crawled: dict[str, Any]) -> None:
    told = wenhen.json("doctor")
    assert told["missing"] == []
    assert all(told["servers"][name]["answers"] for name in ("MongoDB", "Redis"))
    assert told["embedded"]["mongo"]["pid"] == read_server_states(wenhen.data)["mongo"].pid
    assert told["works"] == {"done": 7}  # six, and a common text that was removed
    # A sweep that the clock sent just before the workers ended may still lie there.
    assert set(told["queues"]) == {"crawl", "text", "match", "upkeep", "webhooks", "evidence", "pictures"}
    printed = wenhen.run("doctor").stdout
    assert "MongoDB" in printed
    assert "set crawler.contact" in printed, "owners of sites cannot reach whoever crawls them"


def test_wrong_usage_ends_with_status_2(wenhen: Command) -> None:
    for arguments in (("works", "import"), ("cases", "list", "--status", "stolen"), ("index", "rebuild", "pages")):
        assert "Usage:" in wenhen.run(*arguments, status=2).stderr


def test_a_changed_file_is_a_new_version_and_a_removed_work_is_found_no_more(
    wenhen: Command, crawled: dict[str, Any], folder: Path, tmp_path: Path, site: str
) -> None:
    (folder / "river.txt").write_text(CLOUD[::-1], encoding="utf-8")
    changed = wenhen.json("works", "import", folder / "river.txt")
    assert (len(changed["changed"]), changed["new"]) == (1, [])
    [id] = changed["changed"]
    assert wenhen.json("works", "show", id)["version"] == 2
    assert wenhen.run("scan", "-", "--json", stdin=RIVER).stdout == ""
    present = {case["page_url"]: case["present"] for case in wenhen.json("cases", "list")}
    assert present == {f"{site}/copy.html": False, f"{site}/lies.html": True}

    wenhen.run("works", "remove", id)
    assert wenhen.run("scan", "-", "--json", stdin=CLOUD[::-1]).stdout == ""
    assert id not in {work["id"] for work in wenhen.json("works", "list")}
    assert "nobody" in wenhen.refusal("works", "remove", "nobody")


def test_up_does_not_start_where_another_program_has_the_dashboards_address(wenhen: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert f"cannot listen on 127.0.0.1, port {port}" in wenhen.refusal("up", "--port", port)


def test_up_runs_everything_until_it_is_told_to_end(wenhen: Command, crawled: dict[str, Any], tmp_path: Path) -> None:
    log = tmp_path / "up.log"
    with log.open("w") as output:
        up = subprocess.Popen(wenhen.arguments("up", "--port", "0"), env=wenhen.environment(), stderr=output)
    try:
        wait_for(lambda: "http://" in log.read_text(), "the dashboard's address")
        address = next(word for word in log.read_text().split() if word.startswith("http://"))
        # It ends with 1 as long as they do not.
        wait_for(lambda: "workers" not in wenhen.json("doctor", status=None)["servers"], "workers that answer")
        with urlopen(address) as answer:
            assert "文痕" in answer.read().decode()
        assert "runs on the data folder" in wenhen.refusal("up", "--port", "0")
        queues = " ".join(state["detail"] for state in wenhen.json("doctor", status=None)["servers"].values())
        assert all(queue in queues for queue in ("crawl", "text", "match", "upkeep"))
        up.send_signal(signal.SIGINT)
        assert up.wait(90) == 0
    finally:
        if up.poll() is None:
            os.kill(up.pid, signal.SIGKILL)
            up.wait()
    assert not any(server.answers for server in read_server_states(wenhen.data).values()), "what up started, it ends"


def test_servers_that_nobody_uses_any_more_end(wenhen: Command) -> None:
    wenhen.run("works", "list")
    assert all(info.pid for info in read_server_states(wenhen.data).values())
    (wenhen.data / "run" / "idle.lock").unlink()  # it is held by whoever looks after them, for half an hour
    stop_when_idle(wenhen.data, idle_seconds=0.1, look_seconds=0.05)
    assert not any(info.pid for info in read_server_states(wenhen.data).values())
    assert "no server runs" in wenhen.run("down").stderr
