"""Books and documents at an address: matched as pages are, and shown with the place in the file."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from crawler.extraction.model import PartKind, TextPlace
from tests.support.commands.commanding import command_on
from tests.support.documents.files import packed, pdf
from tests.support.way import capture, made_page, made_text, pairs, store_work, the_case, work_through
from wenhen.cases.passages import find_passage_places
from wenhen.kit.progress import Step
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.works.service import MAX_BATCH_WORKS

pytestmark = pytest.mark.usefixtures("nursery")

STORY, OTHER = made_text("story", 400), made_text("other", 400)


def test_a_copy_in_a_book_is_a_case_that_names_page_and_paragraph(app: App) -> None:
    store_work(app, "story", STORY)
    before, copied = OTHER.splitlines(), STORY.splitlines()
    half = len(copied) // 2
    book = pdf([before[:-1], [before[-1], *copied[:half]], copied[half:]])
    capture(app, "http://books.test/book.pdf", book)
    capture(app, "http://books.test/page", made_page("转载", OTHER))
    work_through(app)
    assert pairs(app) == {("http://books.test/book.pdf", "story")}
    places, _ = find_passage_places(app, the_case(app))
    assert min(places.values(), key=lambda one: one.number) == TextPlace(PartKind.PAGE, 2, 2)


def test_a_book_that_cannot_be_read_is_set_aside_with_its_reason_and_a_part_of_one_is_told(app: App) -> None:
    locked = pdf([[STORY]], password="x")
    aside = capture(app, "http://books.test/locked.pdf", locked)
    capture(app, "http://books.test/all.zip", packed({"a.txt": OTHER.encode(), "b.pdf": locked}))
    work_through(app)
    assert app.store.pages.get(aside).progress.step is Step.SET_ASIDE
    told = {problem.what: str(problem.reason) for problem in app.store.problems.recent()}
    assert "protected by a password" in told[f"page:{aside}"]
    assert told["http://books.test/all.zip"].startswith("b.pdf in the archive was not read")


def test_a_transcript_from_an_app_is_brought_by_command_and_matched(
    servers: ServerAddresses, redis_url: str, tmp_path: Path
) -> None:
    (tmp_path / "story.txt").write_text(STORY)
    (tmp_path / "转写.txt").write_text(STORY)
    with command_on(servers, redis_url, tmp_path / "data") as (run, store):
        assert run("works", "import", str(tmp_path / "story.txt")).exit_code == 0
        words = ("capture", "add", str(tmp_path / "转写.txt"), "--url", "https://app.example/7", "--json")
        done = run(*words, "--app", "晨读", "--at", "2026-03-05T09:30")
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["cases"] == [1]
        brought = store.cases.get("1").capture.brought
    assert brought
    assert (brought.app, brought.seen_at) == ("晨读", datetime(2026, 3, 5, 1, 30, tzinfo=UTC))


def test_a_passage_of_a_recording_leads_to_its_second(servers: ServerAddresses, redis_url: str, tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text(STORY)
    before = OTHER.splitlines()[:20]
    (tmp_path / "7.srt").write_text(
        "\n".join(
            f"{number}\n00:{number // 20:02}:{number % 20 * 3:02},000 --> 01:00:00,000\n{line}\n"
            for number, line in enumerate([*before, *STORY.splitlines()])
        )
    )
    (tmp_path / "7.txt").write_text(STORY)
    with command_on(servers, redis_url, tmp_path / "data") as (run, store):
        assert run("works", "import", str(tmp_path / "story.txt")).exit_code == 0
        words = ("capture", "add", "--url", "https://audio.example/7", "--transcript")
        assert "7.txt is no transcript with times" in run(*words, str(tmp_path / "7.txt")).output
        assert store.pages.count() == 0
        done = run(*words, str(tmp_path / "7.srt"), "--json")
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["cases"] == [1]
        report = run("report", "1", "--out", str(tmp_path / "report.json"))
        assert report.exit_code == 0, report.output
        place = json.loads((tmp_path / "report.json").read_text())["cases"][0]["passages"][0]["place"]
    assert place == {"kind": "time", "number": 3 * len(before), "paragraph": 1, "file": "001 7.srt"}


def test_works_of_a_large_import_are_protected_while_it_goes_on(
    servers: ServerAddresses, redis_url: str, tmp_path: Path
) -> None:
    count = MAX_BATCH_WORKS + 50  # workers start at the first batch
    lines = [json.dumps({"id": str(n), "title": str(n), "text": made_text(str(n), 40)}) for n in range(count)]
    (tmp_path / "works.jsonl").write_text("\n".join([*lines, "{}"]))
    with command_on(servers, redis_url, tmp_path / "data") as (run, store):
        done = run("works", "import", str(tmp_path / "works.jsonl"))
        assert done.exit_code == 0, done.output
        assert "protected" in done.output
        assert "title" in done.output.partition("原因")[2], "the last line is refused, with its reason"
        assert store.works.count_by_step() == {Step.DONE: count}


def test_a_work_with_the_text_of_another_is_told_and_joined_by_an_option(
    servers: ServerAddresses, redis_url: str, tmp_path: Path
) -> None:
    for name in ("story", "twice", "thrice"):
        (tmp_path / f"{name}.txt").write_text(STORY)
    with command_on(servers, redis_url, tmp_path / "data") as (run, store):
        first, second, third = (
            run("works", "import", str(tmp_path / f"{name}.txt"), "--no-wait", *join)
            for name, join in (("story", ()), ("twice", ()), ("thrice", ("--join",)))
        )
        assert "同文" not in first.output
        assert "twice" in second.output.partition("同文")[2]
        assert third.exit_code == 0, third.output
        assert {work.title for work in store.works.find()} == {"story", "twice"}
