"""The report holds every case with what proves it, and leaves the store as it is."""

import json
from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from matcher.model import Change, Level, Passage
from tests.support.seed import MIDDLE, NOW, OPENING, PAGE_TEXT, Seeder, move_case
from wenhen.cases.model import CaseStatus
from wenhen.context.use_cases import Acting
from wenhen.fingerprints.model import Fingerprint
from wenhen.kit.clock import start_of_day
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import OwnerKind
from wenhen.reports.contents import gather_report as gather
from wenhen.reports.csv_and_json import to_json
from wenhen.reports.evidence_list import list_evidence
from wenhen.reports.phrases import format_printed


def test_a_case_carries_everything_that_proves_it(seed: Seeder, acting: Acting) -> None:
    seed.work()
    case = seed.case()
    report = gather(acting)
    (entry,) = report.cases
    assert (entry.author, entry.holder, entry.work_title) == ("沈之遥", "河岸文艺社", "修船的老人")
    assert report.holders == ("河岸文艺社",)
    assert entry.first_published is not None
    assert entry.capture == case.capture
    assert seed.store.blobs.get_text(entry.page_text_sha256) == PAGE_TEXT
    assert [(quote.page_text, quote.work_text) for quote in entry.passages] == [
        (OPENING, OPENING),
        (MIDDLE.replace("一点一点", "一点点"), MIDDLE),
    ]
    assert entry.problems == ()


@pytest.mark.parametrize(
    ("known", "proves"),
    [
        ({}, "作品的内容、权利人与发表时间\nThe work's text, holder and time of publication"),
        ({"owner": None}, "作品的内容与发表时间\nThe work's text and time of publication"),
        ({"published_at": None}, "作品的内容与权利人\nThe work's text and holder"),
        ({"owner": None, "published_at": None}, "作品的内容\nThe work's text"),
    ],
)
def test_the_list_of_evidence_says_that_a_work_proves_what_is_known_of_it_and_no_more(
    seed: Seeder, acting: Acting, known: dict[str, Any], proves: str
) -> None:
    seed.work(**known)
    seed.case()
    (entry,) = gather(acting).cases
    work = list_evidence([entry])[0]
    assert (work.proves, work.at) == (proves, entry.first_published)
    assert ("in the library since" in work.source) is ("published_at" in known), "no day on which it was made"


def test_the_list_of_evidence_tells_a_day_of_publication_as_a_day(seed: Seeder, acting: Acting) -> None:
    seed.work(published_at=start_of_day(date(2019, 5, 3)))
    seed.case()
    assert format_printed(list_evidence(gather(acting).cases)[0].at, "time") == "2019-05-03"


def test_the_list_of_evidence_shortens_a_title_and_nothing_that_stands_behind_it(seed: Seeder, acting: Acting) -> None:
    seed.work(title="长" * 300)
    seed.case()
    name = list_evidence(gather(acting).cases)[0].name
    assert name == f"作品《{'长' * 80}…》第 1 版\nWork “{'长' * 80}…”, version 1"


def test_the_filter_chooses_and_is_told(seed: Seeder, acting: Acting) -> None:
    seed.library()
    move_case(seed.store, "2", CaseStatus.CONFIRMED, by="a", reason=None, at=NOW)

    def numbers(**conditions: object) -> list[int]:
        return [case.number for case in gather(acting, **conditions).cases]  # type: ignore[arg-type]  # the test names a filter

    assert numbers() == [1, 2, 3, 4]
    assert numbers(status=CaseStatus.CONFIRMED) == [2]
    assert numbers(host="copies.example", work_id="lamp") == [4]
    assert numbers(case_ids=["3", "1", "3"]) == [1, 3]
    assert gather(acting, status=CaseStatus.LEAD).chosen_by == {"status": "lead"}
    with pytest.raises(NotFound):
        numbers(case_ids=["77"])


def test_totals_count_overlapping_passages_once(seed: Seeder, acting: Acting) -> None:
    seed.work()
    one = Passage(page_start=0, page_end=10, work_start=0, work_end=10, similarity=1.0, change=Change.VERBATIM)
    seed.case(passages=(one, replace(one, page_start=5, page_end=20), replace(one, page_start=7, page_end=9)))
    seed.case("https://mirror.example/", level=Level.VERBATIM, passages=(one,))
    totals = gather(acting).totals
    assert (totals.cases, totals.works, totals.hosts, totals.passages) == (2, 1, 2, 4)
    assert totals.copied_characters == 19 + 9, "a line ends in both, and white space is no character"
    assert totals.by_level == {"light": 1, "verbatim": 1}


def test_the_method_is_that_of_the_fingerprints_that_matched(seed: Seeder, acting: Acting) -> None:
    seed.work()
    number = seed.store.fingerprints.numbers(OwnerKind.WORK, 1)[0]
    fingerprint = Fingerprint(
        id="work:dock:1:0",
        kind=OwnerKind.WORK,
        owner_id="dock",
        owner_version=1,
        segment=0,
        start=0,
        letters=90,
        number=number,
        scheme="frequency",
        parameters={"window": 16, "levels": 2},
        positions=b"",
        values=b"",
    )
    seed.store.fingerprints.replace(OwnerKind.WORK, "dock", [fingerprint])
    case = seed.case()
    seed.store.cases.open_or_update(replace(case, match=replace(case.match, work_fingerprints=("work:dock:1:0",))))
    (method,) = gather(acting).methods
    assert (method.scheme, method.parameters) == ("frequency", {"window": 16, "levels": 2})


def test_a_case_whose_texts_were_lost_is_kept_with_the_reason(seed: Seeder, acting: Acting) -> None:
    seed.work()
    seed.case(page_text_digest="0" * 64)
    (entry,) = gather(acting).cases
    assert entry.problems == ("page_text_lost",)
    assert entry.passages[0].page_text is None
    assert entry.passages[0].work_text == OPENING


def test_json_gives_back_what_the_report_holds(seed: Seeder, acting: Acting) -> None:
    seed.library()
    report = gather(acting)
    value = json.loads(to_json(report))
    assert value["format"] == "wenhen-report"
    assert value["generated_at"] == "2026-03-05T17:30:00Z"
    assert value["totals"]["cases"] == len(value["cases"]) == 4
    assert value["cases"][0]["capture"]["headers"] == [["Server", "nginx"], ["Content-Type", "text/html; charset=gbk"]]
    assert value["cases"][2]["licence"]["licensee"] == "晨读网"
    assert to_json(report) == to_json(gather(acting))


def test_json_carries_every_character(seed: Seeder, acting: Acting) -> None:
    wild = "\x00\x07\ud800\u202e=cmd|' /C calc'!A0"
    seed.work()
    seed.case()
    report = gather(acting)
    report = replace(report, cases=(replace(report.cases[0], page_title=wild),))
    assert json.loads(to_json(report))["cases"][0]["page_title"] == wild


@pytest.mark.parametrize(
    ("address", "name", "cases"),
    [
        ("/reports/cases.json", "文痕-侵权报告-20260306.json", 4),
        ("/reports/cases.json?host=mirror.example", "文痕-侵权报告-20260306.json", 1),
        ("/cases/3/report.json", "文痕-案件-3-20260306.json", 1),
    ],
)
def test_reports_come_as_files_with_a_chinese_name(
    client: FlaskClient, seed: Seeder, address: str, name: str, cases: int
) -> None:
    seed.library()
    answer = client.get(address)
    disposition = answer.headers["Content-Disposition"]
    assert disposition.startswith("attachment;")
    assert f"filename*=UTF-8''{quote(name)}" in disposition  # RFC 5987
    assert " filename=wenhen-" in disposition, "what knows ASCII alone gets a name that is no option of a command"
    assert len(json.loads(answer.data)["cases"]) == cases


def test_a_report_of_a_case_that_does_not_exist_is_refused(client: FlaskClient) -> None:
    assert client.get("/cases/9/report.xlsx").status_code == 404


def test_the_time_of_the_report_is_the_only_thing_that_changes(seed: Seeder, acting: Acting) -> None:
    seed.library()
    first = gather(acting)
    later = gather(replace(acting, product=replace(acting.product, now=lambda: NOW + timedelta(days=1))))
    assert replace(later, generated_at=NOW) == first
