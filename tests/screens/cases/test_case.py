"""The case page, and the decision that is taken on it."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser
from werkzeug.test import TestResponse

from matcher.model import Change, Level, Passage
from tests.support.documents.files import pdf
from tests.support.holders import ready_holder
from tests.support.people import add_user
from tests.support.screens import MakeApp, post
from tests.support.seed import MIDDLE, NOW, OPENING, PAGE_TEXT, PASSAGES, WORK_TEXT, Seeder
from wenhen.cases.model import CaseStatus
from wenhen.kit.errors import plain_message


@pytest.fixture
def one(seed: Seeder) -> Seeder:
    """One case."""
    seed.work()
    seed.case()
    ready_holder(seed.store)
    return seed


def send(client: FlaskClient, address: str, **form: str) -> TestResponse:
    """Send a form of the case page."""
    return post(client, address, form_at="/cases/1", **form)


def decide(client: FlaskClient, status: str, reason: str = "") -> int:
    """Send the form of decisions; the status of the answer."""
    return send(client, "/cases/1/decision", status=status, reason=reason).status_code


@pytest.mark.usefixtures("one")
def test_both_texts_are_whole_and_their_passages_lead_to_each_other(client: FlaskClient) -> None:
    page = client.get("/cases/1").text
    for side, text in (("page", PAGE_TEXT), ("work", WORK_TEXT)):
        found = re.search(rf'data-pane="{side}">(.*?)</div>\s*</div>', page, re.DOTALL)
        assert found
        shown = re.sub(r"<a class=\"ref\".*?</a>", "", found[1])
        assert re.sub(r"<[^>]+>", "", shown) == text
    for number in (1, 2):
        assert f'id="p{number}" href="#w{number}"' in page
        assert f'id="w{number}" href="#p{number}"' in page


def test_a_passage_of_a_file_is_shown_with_its_page_and_paragraph(client: FlaskClient, one: Seeder) -> None:
    before, copied = "他在码头上站了很久。", PAGE_TEXT.split("\n")
    book = replace(
        one.store.cases.get("1").capture, body_digest=one.store.blobs.put(pdf([[before], copied])), headers=()
    )
    start = len(before) + 1
    moved = [replace(part, page_start=part.page_start + start, page_end=part.page_end + start) for part in PASSAGES]
    text = one.store.blobs.put_text(f"{before}\n{PAGE_TEXT}")
    one.case(capture=book, page_text_digest=text, passages=tuple(moved))
    assert "第 2 页第 2 段" in client.get("/cases/1").text
    assert "page 2, paragraph 2" in client.get("/cases/1?lang=en").text


@pytest.mark.usefixtures("one")
def test_what_was_changed_inside_a_passage_is_typed_on_both_sides(client: FlaskClient) -> None:
    page = client.get("/cases/1").text
    runs = re.findall(r'<mark class="(\w+)" data-passage="(\d)"[^>]*>([^<]+)<', page)
    assert [run for run in runs if run[1] == "1"] == [("same", "1", OPENING)] * 2
    assert [run[0] for run in runs if run[1] == "2"] == ["same", "same", "same", "deleted", "same"]
    assert "".join(text for kind, number, text in runs if number == "2" and kind == "deleted") == "一"


def test_every_kind_of_change_has_its_look(client: FlaskClient, seed: Seeder) -> None:
    work = "他们在旧书店里发现了一封没有寄出的信，信纸已经发黄，字迹还很清楚。落款是三十年前的春天，没有名字。"
    copy = "他们在舊书店里又发现了一封没有寄出的信，信纸已经发黄，字迹仍很清楚。是三十年前的春天，没有名子。"
    seed.work(text=work)
    whole = Passage(
        page_start=0, page_end=len(copy), work_start=0, work_end=len(work), similarity=0.9, change=Change.LIGHT
    )
    seed.case(text=copy, passages=(whole,))
    runs = set(re.findall(r'<mark class="(\w+)" data-passage="1"[^>]*>([^<]+)<', client.get("/cases/1").text))
    on_page = {("variant", "舊"), ("same_sound", "子"), ("replaced", "仍"), ("inserted", "又")}
    on_work = {("variant", "旧"), ("same_sound", "字"), ("replaced", "还"), ("deleted", "落款")}
    assert {run for run in runs if run[0] != "same"} == on_page | on_work


@pytest.mark.usefixtures("one")
def test_the_ruler_shows_each_passage_in_both_texts(client: FlaskClient) -> None:
    page = client.get("/cases/1").text
    found = re.findall(r'class="band (\w+)" data-passage="(\d)"', page)
    assert found == [("verbatim", "1"), ("light", "2")]


def test_other_copies_of_the_work_and_other_works_of_the_page_are_listed(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    seed.case("https://copies.example/a/1.html", work_id="lamp", passages=(), level=Level.QUOTATION)
    listed = re.search(r'id="others">(.*?)</section>', client.get("/cases/1").text, re.DOTALL)
    assert listed
    assert re.findall(r'href="/cases/(\d+)"', listed[1]) == ["3", "2", "5"]


@pytest.mark.usefixtures("one")
def test_the_history_of_captures_says_what_changed(client: FlaskClient, one: Seeder) -> None:
    first = one.store.cases.get("1").capture
    later = replace(first, fetched_at=first.fetched_at + timedelta(hours=1))
    gone = replace(later, fetched_at=NOW, status=404, body_digest=one.store.blobs.put(b"gone"), body_size=4)
    for capture in (later, gone):
        one.store.pages.put_capture(first.url, capture, site_id=None)
    rows = re.search(r'id="captures">(.*?)</section>', client.get("/cases/1?lang=en").text, re.DOTALL)
    assert rows
    shown = re.findall(r"(first capture|same body|body changed \([+-]\d+ bytes\))", rows[1])
    assert shown == [f"body changed ({4 - first.body_size} bytes)", "same body", "first capture"]
    assert rows[1].count("≠") == 1
    assert rows[1].count("Basis of the case") == 1


@pytest.mark.usefixtures("one")
def test_the_figures_the_reasons_and_the_evidence_are_shown(client: FlaskClient) -> None:
    page = client.get("/cases/1?lang=en").text
    for shown in ("83.2%", "68.5%", "97.3%", "83.2% of the page agrees with the work", "198.51.100.7", "nginx"):
        assert shown in page
    assert "2026-03-05T22:30:00+08:00" in page  # stored as 14:30 UTC


def test_the_evidence_says_that_a_page_was_rendered_and_since_when_it_is_gone(client: FlaskClient, one: Seeder) -> None:
    case = one.store.cases.get("1")
    one.store.cases.open_or_update(replace(case, capture=replace(case.capture, rendered_digest="feed" * 16)))
    assert "vanished" not in client.get("/cases/1?lang=en").text
    one.store.pages.mark_gone(case.page_id, NOW, plain_message("the server answered 410"))
    page = client.get("/cases/1?lang=en").text
    assert "feed" * 16 in page
    assert "the server answered 410" in page
    assert "The page vanished" in page


def test_passages_are_listed_from_the_longest_down(client: FlaskClient, one: Seeder) -> None:
    assert re.findall(r'<li><a href="#p(\d+)"', client.get("/cases/1").text) == ["2", "1"]
    assert len(MIDDLE) > len(OPENING)


def test_an_authorised_reprint_and_a_copy_that_went_away_are_marked(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    seed.store.cases.mark_absent([seed.store.cases.get("3").id], NOW)
    page = client.get("/cases/3").text
    assert "授权转载：晨读网" in page
    assert "已消失" in page


@pytest.mark.parametrize(
    "address", ["/cases/1", "/suspects/?present=no", "/suspects/preview/1", "/", "/works/one?id=dock"]
)
def test_a_lead_whose_work_was_removed_is_not_said_to_be_gone(client: FlaskClient, one: Seeder, address: str) -> None:
    one.store.cases.mark_absent([one.store.cases.get("1").id], NOW)
    gone, unknown = '<span class="badge gone">已消失<', 'title="作品已移除，未再比对">作品已移除<'
    assert gone in client.get(address).text
    one.store.works.remove("dock")
    page = client.get(address).text
    assert unknown in page
    assert gone not in page


def test_confirming_keeps_who_and_why(make_app: MakeApp, one: Seeder) -> None:
    client = make_app().test_client()
    assert decide(client, "confirmed", "整篇转载") == 303
    case = one.store.cases.get("1")
    assert (case.status, case.reason, case.decided_by, case.decided_at) == (
        CaseStatus.CONFIRMED,
        "整篇转载",
        "local",
        NOW,
    )
    assert "案件 #1 已确认。" in client.get("/cases/1").text


def test_dismissing_needs_a_reason(client: FlaskClient, one: Seeder) -> None:
    assert decide(client, "dismissed", "  ") == 400
    assert one.store.cases.get("1").status is CaseStatus.LEAD
    assert decide(client, "dismissed", "公版诗句") == 303
    assert one.store.cases.get("1").status is CaseStatus.DISMISSED


def test_a_case_that_was_decided_since_it_was_opened_is_not_decided_over(client: FlaskClient, one: Seeder) -> None:
    assert '<input type="hidden" name="seen" value="lead">' in client.get("/cases/1").text
    assert send(client, "/cases/1/decision", seen="lead", status="confirmed", reason="整篇转载").status_code == 303
    form = {"status": "dismissed", "reason": "合理引用"}
    late = send(client, "/cases/1/decision", seen="lead", **form)
    assert (late.status_code, one.store.cases.get("1").status) == (409, CaseStatus.CONFIRMED)
    assert "现在是“已确认”（local）" in late.text
    assert "autofocus>合理引用</textarea>" in late.text, "where its reader is led, with the refusal above it"
    seen = re.search(r'name="seen" value="(\w+)"', late.text)
    assert seen
    assert send(client, "/cases/1/decision", seen=seen[1], **form).status_code == 303
    assert one.store.cases.get("1").status is CaseStatus.DISMISSED


def test_a_decision_can_be_taken_back(client: FlaskClient, one: Seeder) -> None:
    decide(client, "confirmed")
    assert decide(client, "lead") == 303
    assert one.store.cases.get("1").status is CaseStatus.LEAD


def test_an_unknown_decision_is_refused(client: FlaskClient, one: Seeder) -> None:
    assert decide(client, "burnt") == 400
    assert one.store.cases.get("1").status is CaseStatus.LEAD


def test_the_whole_path_is_walked_with_dates_and_shown(client: FlaskClient, one: Seeder) -> None:
    for status, more in (
        ("confirmed", {}),
        ("notice_sent", {"notice_at": "2026-03-06", "deadline": "2026-03-20"}),
        ("refused", {"reason": "称已获授权"}),
        ("escalated", {}),
        ("court", {"court": "滨海市临港区人民法院", "court_number": "（2026）沪 0199 民初 12 号"}),
        ("removed", {}),
    ):
        assert send(client, "/cases/1/decision", status=status, **more).status_code == 303
    case = one.store.cases.get("1")
    assert [str(move.status) for move in case.history] == [
        "confirmed",
        "notice_sent",
        "refused",
        "escalated",
        "court",
        "removed",
    ]
    assert (case.notice_at, case.deadline) == (
        datetime(2026, 3, 5, 16, tzinfo=UTC),
        datetime(2026, 3, 19, 16, tzinfo=UTC),
    )
    page = client.get("/cases/1").text
    assert "称已获授权" in page
    assert '<span class="step now" aria-current="step">已删除</span>' in page
    assert page.count('class="step passed"') == 6
    assert "（2026）沪 0199 民初 12 号" in page


def test_a_court_without_its_number_is_refused_and_a_counter_notice_says_the_latest_day(
    client: FlaskClient, one: Seeder
) -> None:
    for status in ("confirmed", "notice_sent"):
        decide(client, status)
    send(client, "/cases/1/decision", status="countered", reason="称已获授权", deadline="2026-03-06")
    page = client.get("/cases/1").text
    assert "法释〔2020〕9号第三条" in page
    assert "2026-04-03" in page  # twenty working days
    refused = send(client, "/cases/1/decision", status="court", court="滨海市临港区人民法院")
    assert refused.status_code == 400
    assert 'value="滨海市临港区人民法院"' in refused.text


def test_a_notice_without_dates_is_sent_now_and_gives_a_week(client: FlaskClient, one: Seeder) -> None:
    decide(client, "confirmed")
    decide(client, "notice_sent")
    assert one.store.cases.get("1").deadline == NOW + timedelta(days=7)


def test_dates_that_cannot_be_are_refused(client: FlaskClient, one: Seeder) -> None:
    decide(client, "confirmed")
    for dates in ({"notice_at": "morgen"}, {"notice_at": "2026-03-06", "deadline": "2026-03-01"}):
        assert send(client, "/cases/1/decision", status="notice_sent", **dates).status_code == 400
    assert one.store.cases.get("1").status is CaseStatus.CONFIRMED


def test_a_step_that_the_path_does_not_have_moves_nothing(client: FlaskClient, one: Seeder) -> None:
    assert decide(client, "escalated") == 303
    assert one.store.cases.get("1").status is CaseStatus.LEAD
    assert "未动" in client.get("/cases/1").text


def test_the_removal_of_a_pursued_copy_is_proposed_and_a_person_confirms_it(client: FlaskClient, one: Seeder) -> None:
    one.store.cases.mark_absent([one.store.cases.get("1").id], NOW)
    assert "确认已删除" not in client.get("/cases/1").text  # nobody said that it is a copy
    decide(client, "confirmed")
    assert "确认已删除" in client.get("/cases/1").text
    assert one.store.cases.get("1").status is CaseStatus.CONFIRMED
    decide(client, "removed")
    assert one.store.cases.get("1").status is CaseStatus.REMOVED


def test_a_copy_that_comes_back_after_its_removal_is_proposed_for_pursuit(client: FlaskClient, one: Seeder) -> None:
    decide(client, "confirmed")
    decide(client, "removed")
    assert "重新追究" not in client.get("/cases/1").text
    case = one.store.cases.get("1")
    again = replace(case.capture, fetched_at=NOW + timedelta(days=1))
    one.store.cases.open_or_update(replace(case, capture=again))
    assert "重新追究" in client.get("/cases/1").text


def test_people_talk_about_a_case_and_give_it_to_each_other(client: FlaskClient, one: Seeder) -> None:
    send(client, "/cases/1/comments", comment="<b>看</b>第二段")
    assert "&lt;b&gt;看&lt;/b&gt;第二段" in client.get("/cases/1").text
    assert send(client, "/cases/1/comments", comment=" ").status_code == 400
    send(client, "/cases/1/assignee", assignee="李")
    assert one.store.cases.get("1").assignee == "李"
    assert [entry.action for entry in one.store.audit.find()] == ["case.assign", "case.comment", "case.view"]


def test_what_changed_between_two_captures_is_shown(client: FlaskClient, one: Seeder) -> None:
    first = one.store.cases.get("1").capture
    old, new = (
        f"<html><body><article><p>{OPENING}</p><p>{text}</p></article></body></html>" for text in (MIDDLE, "删")
    )
    for hours, body in ((1, old), (2, new)):
        digest = one.store.blobs.put(body.encode())
        capture = replace(first, fetched_at=first.fetched_at + timedelta(hours=hours), body_digest=digest, headers=())
        one.store.pages.put_capture(first.url, capture, site_id=None)
    address = re.search(r'href="(/cases/1/captures/\d+)"', client.get("/cases/1").text)
    assert address
    page = client.get(address[1]).text
    assert re.findall(r"<del>(.+?)</del>", page, re.DOTALL)
    assert OPENING in page
    assert client.get("/cases/1/captures/7").status_code == 404


def test_a_page_that_copies_several_works_names_the_largest_source(client: FlaskClient, one: Seeder) -> None:
    assert "最大来源" not in client.get("/cases/1").text
    one.work("lamp", WORK_TEXT + "余文。", title="七秒")
    one.case(work_id="lamp", share=0.9)
    page = client.get("/cases/1").text
    assert "此网页共抄 2 部作品" in page
    assert re.search(r'最大来源 <a href="/cases/2"><bdi>七秒</bdi></a> 90.0%', page)


def test_a_text_that_the_store_lost_is_said_so_and_the_rest_is_shown(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    seed.case(page_text_digest="0" * 64)
    page = client.get("/cases/1").text
    assert "网页正文已不在库中。" in page
    assert OPENING in page


def test_passages_that_point_outside_their_text_do_no_harm(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    wild = Passage(
        page_start=5, page_end=10**6, work_start=10**6, work_end=10**7, similarity=0.5, change=Change.REWRITTEN
    )
    seed.case(passages=(wild,), level=Level.REWRITTEN)
    assert 'id="w1"' in client.get("/cases/1").text


def test_amounts_of_a_case_are_recorded_refused_and_removed_on_its_screen(client: FlaskClient, one: Seeder) -> None:
    assert 'id="money"' not in client.get("/cases/1").text, "nothing is claimed of a lead"
    decide(client, "confirmed")
    form = {"kind": "claimed", "currency": "CNY", "day": "2026-03-02", "note": "律师函"}
    refused = send(client, "/cases/1/amounts", amount="两万", **form)
    assert (refused.status_code, "“两万”不是金额" in refused.text, 'value="两万"' in refused.text) == (400, True, True)
    assert send(client, "/cases/1/amounts", amount="20,000.5", **form).status_code == 303
    page = client.get("/cases/1").text
    assert all(words in page for words in ("20,000.50 CNY", "索赔", "律师函", "2026-03-02"))
    assert "Fees and settlements" in client.get("/cases/1?lang=en").text
    [amount] = one.store.amounts.of_case(1)
    assert (amount.cents, amount.page_host) == (2_000_050, "copies.example")
    assert send(client, "/cases/1/amounts", amount="1", **(form | {"day": "2126-01-01"})).status_code == 400
    assert send(client, "/cases/1/amounts", amount="1", **(form | {"kind": "gift"})).status_code == 400
    assert send(client, "/cases/1/amounts/remove", id=amount.id).status_code == 303
    assert one.store.amounts.of_case(1) == []
    added, removed = (one.store.audit.find(action=f"case.{act}_amount")[0] for act in ("add", "remove"))
    assert ("20000.50 CNY" in str(added.new), removed.old) == (True, added.new)


def test_a_refusal_leads_back_to_the_form_that_was_sent(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    add_user(seed.store, "陆")
    for path, field, form in (
        ("/cases/1/question", "#ask", {"name": "无此人", "question": "算引用吗"}),
        ("/cases/1/assignee", "#assignee", {"assignee": "无此人"}),
    ):
        answer = post(client, path, form_at="/cases/1", **form)
        page = LexborHTMLParser(answer.text)
        focused = page.css("main [autofocus]")
        assert (answer.status_code, len(focused)) == (400, 1), path
        assert focused[0].css_matches(field), path
        assert focused[0].attributes["value"] == "无此人", path
        assert focused[0].attributes["aria-describedby"] == "refusal", path
