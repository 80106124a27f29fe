"""Works and cases as people name them in commands, and what a command says where it cannot go on."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.commands.commanding import Run, command_on
from tests.support.people import add_user
from tests.support.seed import NOW, Seeder, move_case
from wenhen.cases.model import CaseStatus
from wenhen.context.store_and_queue import Store
from wenhen.crawls.model import RunKind
from wenhen.kit.progress import Subject
from wenhen.runtime.embedded.servers import ServerAddresses


@pytest.fixture
def wenhen(servers: ServerAddresses, redis_url: str, tmp_path: Path) -> Iterator[tuple[Run, Store]]:
    with command_on(servers, redis_url, tmp_path) as (run, store):
        Seeder(store).library()
        yield run, store


def test_a_work_is_named_by_its_title_or_how_it_begins(wenhen: tuple[Run, Store]) -> None:
    run, store = wenhen
    shown = run("works", "show", "修船")
    assert shown.exit_code == 0, shown.output
    assert "沈之遥" in shown.output
    assert "step fingerprint · due 20" in shown.output
    assert "2025-11-02 12:00" in shown.output, "as of China"
    assert "北京时间" in shown.output
    Seeder(store).work("dock-2", "另一篇", title="修船的老人")
    several = run("works", "show", "修船的老人")
    assert several.exit_code == 1
    assert "dock 修船的老人" in several.output
    assert "dock-2 修船的老人" in several.output
    assert run("works", "show", "dock").exit_code == 0  # an id is one
    assert run("works", "show", "无此作品").exit_code == 1
    assert "4" in run("cases", "list", "--work", "七秒").output


def test_a_case_that_cannot_move_is_told_with_the_moves_that_there_are(wenhen: tuple[Run, Store]) -> None:
    run, store = wenhen
    move_case(store, "1", CaseStatus.NOTICE_SENT, by="王", reason=None, at=NOW)
    refused = run("cases", "decide", "quiet", "#1", "2")
    assert refused.exit_code == 1
    assert (
        "#1 notice_sent → removed | refused | countered | escalated | settled | licensed | confirmed" in refused.output
    )
    assert store.cases.get("2").status is CaseStatus.QUIET
    assert run("cases", "decide", "quiet", "#x").exit_code == 2
    late = run("cases", "decide", "quiet", "3", "--until", "2020-01-01")
    assert "still to come" in late.output
    assert "nobody is called 无此人" in run("cases", "ask", "无此人", "3").output


def test_a_comment_that_names_nobody_says_so_and_a_case_tells_why_it_is_absent(wenhen: tuple[Run, Store]) -> None:
    run, store = wenhen
    add_user(store, "沈岩")
    said = run("cases", "comment", "1", "@沈严 请看")
    assert said.exit_code == 0
    assert "nobody who can be told is called “沈严”" in said.output
    assert "@沈岩" in said.output
    assert "@沈严" in run("cases", "show", "1").output
    store.works.remove("dock")
    store.cases.mark_absent([store.cases.get("1").id], NOW)
    shown = run("cases", "show", "1")
    assert "the work was removed, and the page is not compared with it any more" in " ".join(shown.output.split())
    told = json.loads(run("cases", "show", "1", "--json").stdout)
    assert (told["present"], told["absent"]["why"]) == (False, "work_removed")
    assert told["absent"]["since"]


def test_a_site_that_is_there_or_inside_is_told_with_what_to_do(wenhen: tuple[Run, Store]) -> None:
    run, _ = wenhen
    inside = run("sites", "add", "http://localhost:8080/")
    assert inside.exit_code == 1
    assert "add --internal" in inside.output
    again = run("sites", "add", "https://copies.example/", "--id", "copies")
    assert "wenhen sites edit copies" in again.output


def test_a_crawl_that_runs_is_shown_instead_of_refused(wenhen: tuple[Run, Store]) -> None:
    run, store = wenhen
    first = run("crawl", "copies", "--no-wait")
    second = run("crawl", "copies", "--no-wait")
    assert (first.exit_code, second.exit_code) == (0, 0), second.output
    assert "its progress follows" in second.stderr
    assert len(store.runs.active(RunKind.CRAWL)) == 1
    assert run("rematch", "now", "--no-wait").exit_code == 0


def test_a_case_is_12_or_with_its_sign_in_every_command(wenhen: tuple[Run, Store], tmp_path: Path) -> None:
    run, _ = wenhen
    for words in (
        ("cases", "show", "#1"),
        ("cases", "exclusions", "#1"),
        ("cases", "exclude", "#1", "--source", "--why", "同一份公告"),
        ("evidence", "list", "#1"),
        ("notices", "write", "#1"),
        ("report", "#1", "--out", str(tmp_path / "one.json")),
        ("reports", "ask", "一件", "#1"),
    ):
        done = run(*words)
        assert done.exit_code != 2, (words, done.output)
        assert "#1" in done.output or done.exit_code == 0, (words, done.output)


def test_the_work_of_a_licence_is_named_as_in_every_other_command(wenhen: tuple[Run, Store]) -> None:
    run, store = wenhen
    assert run("licences", "add", "夜读网", "morning.example", "--work", "修船").exit_code == 0
    assert [one.work_id for one in store.licences.all() if one.licensee == "夜读网"] == ["dock"]


def test_times_of_a_table_say_their_zone(wenhen: tuple[Run, Store]) -> None:
    run, _ = wenhen
    assert "Asia/Shanghai" in run("works", "list").output


def test_a_run_is_shown_with_its_time_in_china(wenhen: tuple[Run, Store]) -> None:
    run, store = wenhen
    began = store.runs.start(RunKind.CRAWL, Subject.read("copies"), datetime(2026, 3, 5, 20, 30, tzinfo=UTC))
    shown = run("runs", "show", began.id).output
    assert "2026-03-06 04:30" in shown
    assert "Asia/Shanghai" in shown
