"""Whether a submission is original, asked of a real library, as a call and as a command."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from matcher.model import Answer
from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.cli.main import main
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import check_originality
from wenhen.works.service import remove_work

RIVER, SNOW = made_text("river"), made_text("snow")
QUOTED = RIVER[:30]  # fewer code points than any passage that opens a case


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    """A library of two works."""
    with opened(servers, tmp_path / "data") as product:
        store_work(product, "river", RIVER, title="河", author="甲")
        store_work(product, "snow", SNOW, title="雪")
        work_through(product)
        yield product


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    """One of each kind, and what is no text."""
    folder = tmp_path / "submissions"
    folder.mkdir()
    rows = [("own", made_text("own")), ("copy", f"{made_text('before', 80)}{RIVER[100:300]}"), ("short", QUOTED)]
    lines = [json.dumps({"id": id, "title": f"投稿{id}", "text": text}) for id, text in rows]
    (folder / "batch.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def command(app: App, *arguments: str, stdin: str = "") -> Result:
    """`wenhen original` on the servers and the database of this product."""
    settings = app.settings
    variables = {
        "WENHEN_MONGO_URL": settings.mongo.url,
        "WENHEN_MONGO_DATABASE": settings.mongo.database,
        "WENHEN_REDIS_URL": settings.redis.url,
        "WENHEN_INDEX_URL": settings.index.url,
        "WENHEN_DATA": str(settings.data),
    }
    return CliRunner(env=variables).invoke(main, ["original", *arguments], input=stdin.encode())


def test_a_text_of_ones_own_passes_and_names_no_work(app: App) -> None:
    result = check_originality(app, made_text("own"))
    assert (result.answer, result.works) == (Answer.PASSED, ())


def test_only_works_that_are_not_later_count_where_both_are_dated(app: App) -> None:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    field = made_text("field")
    store_work(app, "dated", field, published_at=day)
    work_through(app)
    assert check_originality(app, field, day - timedelta(days=1)).answer is Answer.PASSED
    for later in (day, day + timedelta(days=1), None):
        result = check_originality(app, field, later)
        assert [(work.work_id, work.published_at) for work in result.works] == [("dated", day)]
    assert check_originality(app, RIVER, day).answer is Answer.REFUSED, "a work without a date may be earlier"


def count(text: str) -> int:
    """Count the characters of a text without white space."""
    return len("".join(text.split()))


def test_a_copy_is_refused_with_the_earlier_works_and_the_passages_of_both_sides(app: App) -> None:
    text = f"{made_text('before', 100)}\n{RIVER[100:300]}\n{made_text('between', 100)}\n{SNOW[200:320]}"
    result = check_originality(app, text)
    assert result.answer is Answer.REFUSED
    assert [(work.work_id, work.title, work.author) for work in result.works] == [
        ("river", "河", "甲"),
        ("snow", "雪", None),
    ]
    for work, original, copied in zip(result.works, (RIVER, SNOW), (RIVER[110:290], SNOW[210:310]), strict=True):
        [one] = work.passages
        assert copied in one.text
        assert text[one.passage.page_start : one.passage.page_end] == one.text
        assert original[one.passage.work_start : one.passage.work_end] == one.work_text
        assert work.share_of_text == pytest.approx(count(one.text) / count(text))
        assert work.share_of_work == pytest.approx(count(one.work_text) / count(original))


@pytest.mark.parametrize("text", ["", "。。。\n！", "短", QUOTED, "，".join("河" * 200)])
def test_nothing_can_be_said_of_a_text_whose_own_copy_would_open_no_case(app: App, text: str) -> None:
    assert check_originality(app, text).answer is Answer.TOO_SHORT


@pytest.mark.parametrize("length", [30, 45, 55, 60, 70, 90, 200])
def test_whole_copies_of_any_length_are_refused_or_too_short_but_never_pass(app: App, length: int) -> None:
    assert check_originality(app, RIVER[50:][:length]).answer is not Answer.PASSED


@pytest.mark.parametrize("length", [30, 60, 120, 400])
def test_a_text_is_refused_where_a_page_with_it_opens_a_case(app: App, length: int) -> None:
    text = f"{made_text('before', 200)}\n{RIVER[100:][:length]}\n{made_text('after', 200)}"
    capture(app, "http://site.test/a", made_page("转载", text))
    work_through(app)
    assert (check_originality(app, text).answer is Answer.REFUSED) == bool(pairs(app))


def test_nothing_is_stored_and_a_removed_work_refuses_nobody(app: App) -> None:
    assert check_originality(app, RIVER).answer is Answer.REFUSED
    assert pairs(app) == set()
    assert app.store.works.count() == 2
    remove_work(by(app), "river")
    assert check_originality(app, RIVER).answer is Answer.PASSED


def test_a_batch_gives_a_line_a_text_and_status_1_when_any_is_refused(app: App, submissions: Path) -> None:
    done = command(app, str(submissions), "--json")
    lines = {line["id"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert {id: line["answer"] for id, line in lines.items()} == {
        "own": "pass",
        "copy": "refused",
        "short": "too_short",
    }
    [work] = lines["copy"]["works"]
    assert (work["work_id"], work["author"]) == ("river", "甲")
    assert RIVER[110:290] in work["passages"][0]["text"]
    assert lines["own"]["works"] == lines["short"]["works"] == []
    assert done.exit_code == 1
    assert "Error: 1 of 3 refused" in done.stderr.splitlines()
    assert "1 / 3" in done.stderr, "the one that is too short to say is counted"


def test_for_people_a_row_a_text_names_the_work_and_the_passage(app: App, submissions: Path) -> None:
    table = command(app, str(submissions)).stdout
    assert all(
        word in table for word in ("投稿own", "pass", "投稿copy", "refused", "河 (river)", "投稿short", "too_short")
    )
    assert RIVER[110:115] in "".join(table.split())


def test_a_submission_on_standard_input_that_passes_ends_with_status_0(app: App) -> None:
    done = command(app, "-", "--json", stdin=made_text("own"))
    assert json.loads(done.stdout) == {"id": "-", "title": "-", "source": "-", "answer": "pass", "works": []}
    assert (done.exit_code, done.stderr) == (0, "")
    assert command(app, "-", "--json", stdin=QUOTED).exit_code == 0, "too short to say is no failure"


def test_no_text_below_the_floor_passes_while_a_copy_is_refused(app: App, submissions: Path) -> None:
    own = made_text("own")
    asked = command(app, "-", "--json", "--floor", str(len(own)), stdin=own)
    assert json.loads(asked.stdout)["answer"] == "pass"
    done = command(app, str(submissions), "--json", "--floor", str(len(own) + 1))
    answers = {line["id"]: line["answer"] for line in map(json.loads, done.stdout.splitlines())}
    assert answers == {"own": "too_short", "copy": "refused", "short": "too_short"}


def test_what_cannot_be_read_is_named_and_the_rest_is_answered(app: App, submissions: Path) -> None:
    (submissions / "empty.txt").write_bytes(b"")
    done = command(app, "--json", str(submissions), str(submissions / "missing.txt"), "-", stdin="")
    assert len(done.stdout.splitlines()) == 3
    assert done.exit_code == 1
    assert "Error: 1 of 3 refused; 3 could not be read" in done.stderr
    assert all(name in done.stderr for name in ("empty.txt", "missing.txt", "-: the file is empty"))
