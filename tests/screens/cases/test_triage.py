"""The queue: many cases decided at once, and the way back."""

import json
import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.people import add_user, signed_in
from tests.support.screens import MakeApp, numbers, post, post_and_follow, token_in
from tests.support.seed import MIDDLE, NOW, Seeder, move_case
from wenhen.cases.model import CaseDecision, CaseStatus

COPIED = MIDDLE.replace("一点一点", "一点点")


def send(client: FlaskClient, address: str, **form: object) -> TestResponse:
    """Send a form of the queue."""
    return post(client, address, form_at="/suspects/", **form)


def statuses(seed: Seeder) -> dict[int, str]:
    """What stands of each case."""
    return {case.number: str(case.status) for case in seed.store.cases.find()}


def test_many_cases_are_decided_at_once(client: FlaskClient, queue: Seeder) -> None:
    answer = send(client, "/suspects/decisions", case=["1", "3"], status="dismissed", reason="合理引用")
    assert answer.status_code == 303
    assert statuses(queue) == {1: "dismissed", 2: "lead", 3: "dismissed", 4: "lead"}
    assert {queue.store.cases.get(n).reason for n in "13"} == {"合理引用"}
    assert "已排除 2 个案件。" in client.get("/suspects/").text


def test_a_dismissal_of_many_needs_a_reason_and_what_was_ticked_stays_ticked(
    client: FlaskClient, queue: Seeder
) -> None:
    answer = send(client, "/suspects/decisions?status=lead", case=["1", "3"], status="dismissed", reason=" ")
    assert answer.status_code == 400
    assert re.findall(r'value="(\d)"[^>]* checked>', answer.text) == ["3", "1"]
    assert set(statuses(queue).values()) == {"lead"}


def test_without_a_ticked_case_nothing_is_decided(client: FlaskClient, queue: Seeder) -> None:
    answer = send(client, "/suspects/decisions", status="confirmed")
    assert answer.status_code == 400
    assert "请先勾选案件。" in answer.text


def test_a_decision_leads_back_to_the_same_filter_order_and_page(client: FlaskClient, queue: Seeder) -> None:
    address = "/suspects/decisions?status=lead&host=copies.example&order=largest&page=2&next=//evil.example"
    where = urlsplit(send(client, address, case="1", status="confirmed").headers["Location"])
    assert (where.netloc, where.path) == ("", "/suspects/")
    assert parse_qs(where.query) == {
        "status": ["lead"],
        "host": ["copies.example"],
        "order": ["largest"],
        "page": ["2"],
    }


def test_cases_that_are_not_there_are_left_out(client: FlaskClient, queue: Seeder) -> None:
    send(client, "/suspects/decisions", case=["1", "77", "x", "-1"], status="confirmed")
    assert "已确认 1 个案件。" in client.get("/suspects/").text


def test_more_cases_than_one_move_takes_are_refused(client: FlaskClient, queue: Seeder) -> None:
    answer = send(client, "/suspects/decisions", case=",".join(str(n) for n in range(1, 2_100)), status="confirmed")
    assert answer.status_code == 400
    assert set(statuses(queue).values()) == {"lead"}


def test_all_cases_of_the_filter_are_moved_by_one_box(client: FlaskClient, queue: Seeder) -> None:
    send(client, "/suspects/decisions?host=copies.example", all="1", status="confirmed")
    assert statuses(queue) == {1: "confirmed", 2: "lead", 3: "lead", 4: "confirmed"}


def test_a_case_whose_path_leads_elsewhere_stays_where_it_is_and_is_counted(client: FlaskClient, queue: Seeder) -> None:
    send(client, "/suspects/decisions", case="1", status="confirmed")
    send(client, "/suspects/decisions", case=["1", "2"], status="quiet")
    assert statuses(queue) == {1: "confirmed", 2: "quiet", 3: "lead", 4: "lead"}
    page = client.get("/suspects/").text
    assert "已静默 1 个案件" in page
    assert "1 个案件未动，从它们现在的状态可以：已确认 → " in page, "and it names the moves that there are"


def test_a_judgement_takes_no_case_back_on_its_path(client: FlaskClient, queue: Seeder) -> None:
    for number in "12":
        move_case(queue.store, number, CaseStatus.NOTICE_SENT, by="王", reason=None, at=NOW)
    send(client, "/suspects/decisions", case=["1", "3"], status="confirmed")
    assert statuses(queue) == {1: "notice_sent", 2: "notice_sent", 3: "confirmed", 4: "lead"}
    assert (
        '<tr data-case="2" data-moves="removed refused countered escalated settled licensed">'
        in client.get("/suspects/").text
    )
    assert 'data-key="y"' not in client.get("/cases/1").text


def test_a_usual_reason_is_a_button_and_a_script_is_answered_in_figures(client: FlaskClient, queue: Seeder) -> None:
    form = {"csrf_token": token_in(client.get("/suspects/").text), "case": ["2", "4"], "usual": "quotation"}
    asked = {"Accept": "application/json"}
    answer = client.post("/suspects/decisions", data=form, headers=asked)
    assert answer.get_json() == {"said": ["已排除 2 个案件。"], "moved": [2, 4]}
    assert queue.store.cases.get("4").reason == "合理引用"
    refused = client.post("/suspects/decisions", data={**form, "usual": "", "status": "dismissed"}, headers=asked)
    assert (refused.status_code, refused.get_json()["refusal"]) == (400, "请写明理由。")


def test_where_grounds_are_asked_for_a_confirmation_without_them_is_refused(make_app: MakeApp, queue: Seeder) -> None:
    client = make_app(notice={"grounds": True}).test_client()
    assert "data-needs-grounds" in client.get("/suspects/").text
    assert send(client, "/suspects/decisions", case="1", status="confirmed").status_code == 400
    send(client, "/suspects/decisions", case="1", status="confirmed", reason="全文照搬")
    assert '<option value="whole">' in client.get("/cases/2").text
    form = {"status": "confirmed", "reason": "第三章起"}
    assert send(client, "/cases/2/decision", **{**form, "reason": ""}).status_code == 400
    send(client, "/cases/2/decision", **form, ground="part")
    assert [queue.store.cases.get(one).reason for one in "12"] == ["全文照搬", "照搬实质部分：第三章起"]


def test_a_decision_on_many_cases_has_to_be_agreed_to(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    for number in range(21):
        seed.case(f"https://h{number % 7}.example/{number}")
    answer = send(client, "/suspects/decisions?status=lead", all="1", status="confirmed")
    assert answer.status_code == 400
    assert "确认侵权：21 件，分布在 7 个域名：h0.example、" in answer.text
    assert "、h3.example、h4.example…" in answer.text
    assert re.search(r'name="all" value="1"[^>]* checked>', answer.text)
    send(client, "/suspects/decisions?status=lead", all="1", status="confirmed", sure="1")
    assert set(statuses(seed).values()) == {"confirmed"}


def test_what_somebody_else_decided_since_the_list_was_opened_is_left_as_it_is(
    client: FlaskClient, queue: Seeder
) -> None:
    opened = re.search(r'name="listed_at" value="([^"]+)"', client.get("/suspects/").text)
    assert opened
    later = NOW + timedelta(minutes=1)
    queue.store.cases.decide_many(
        [1], CaseDecision(status=CaseStatus.CONFIRMED, by="李审", at=later), only_from=[CaseStatus.LEAD], batch="b"
    )
    form = {"status": "dismissed", "reason": "合理引用"}
    send(client, "/suspects/decisions", case=["1", "3"], listed_at=opened[1], **form)
    assert statuses(queue) == {1: "confirmed", 2: "lead", 3: "dismissed", 4: "lead"}
    assert "1 个案件在列表打开之后已由别人判定，未动：#1。" in client.get("/suspects/").text
    send(client, "/suspects/decisions", case=["1"], listed_at=later.isoformat(), **form)
    assert statuses(queue)[1] == "dismissed"


def test_an_empty_queue_says_where_cases_come_from_and_an_empty_choice_that_nothing_passes(client: FlaskClient) -> None:
    page = client.get("/suspects/").text
    assert "还没有案件" in page
    assert 'href="/works/import/">导入作品</a>' in page
    assert 'href="/sites/">添加站点</a>' in page
    assert "没有符合条件的案件。" not in page
    assert "没有符合条件的案件。" in client.get("/suspects/?q=x").text


def test_the_columns_are_kept_for_who_chose_them(client: FlaskClient, queue: Seeder) -> None:
    assert "col-score" in client.get("/suspects/").text
    send(client, "/suspects/columns?status=lead", column=["status", "longest_run", "no such"])
    page = client.get("/suspects/").text
    assert re.findall(r'<th scope="col" class="col-(\w+)', page) == ["number", "page", "longest_run", "status"]
    assert "data-preview tabindex" not in page
    assert queue.store.preferences.get("somebody else").columns is None


def test_a_row_and_the_preview_show_what_was_copied(client: FlaskClient, queue: Seeder) -> None:
    assert f"<mark>{COPIED}</mark>" in client.get("/suspects/").text
    preview = client.get("/suspects/preview/1").text
    assert COPIED[:10] in preview
    assert "<html" not in preview
    assert client.get("/suspects/preview/99").status_code == 404


def test_a_quiet_case_wakes_on_its_day(client: FlaskClient, queue: Seeder) -> None:
    refused = send(client, "/cases/1/decision", status="quiet", until="2026-03-05")
    assert "须是以后的日子" in refused.text
    send(client, "/cases/1/decision", status="quiet", until="2026-03-09")
    cases = queue.store.cases
    assert cases.wake(NOW + timedelta(days=2)) == 0
    assert statuses(queue)[1] == "quiet"
    assert cases.wake(NOW + timedelta(days=3)) == 1
    woken = cases.get("1")
    assert (woken.status, woken.decided_by, woken.wakes_at) == (CaseStatus.LEAD, "wenhen", None)


def test_who_is_asked_for_a_second_opinion_finds_the_case_until_it_is_decided(
    client: FlaskClient, queue: Seeder
) -> None:
    add_user(queue.store, "local")  # whoever uses this client
    assert "没有名为“无此人”的用户" in send(client, "/cases/1/question", name="@无此人").text
    send(client, "/cases/1/question", name="@Local", question="算合理引用吗？")
    assert queue.store.comments.of_case(1)[0].text == "@local 算合理引用吗？"
    assert "请您复看 1" in client.get("/works/").text
    assert numbers(client, "/suspects/?asked=me") == [1]
    send(client, "/cases/1/decision", status="confirmed")
    assert "请您复看" not in client.get("/works/").text


def test_copies_that_came_back_and_those_that_vanished_are_lists_whose_counts_agree(
    client: FlaskClient, queue: Seeder
) -> None:
    cases = queue.store.cases
    before = cases.get("1").capture.fetched_at - timedelta(days=1)
    for number, at in (("1", before), ("2", NOW)):
        move_case(queue.store, number, CaseStatus.REMOVED, by="王", reason=None, at=at)
    move_case(queue.store, "3", CaseStatus.CONFIRMED, by="王", reason=None, at=NOW)
    cases.mark_absent([cases.get("3").id], NOW)
    assert numbers(client, "/suspects/?returned=yes") == [1]
    assert numbers(client, "/suspects/?removal=yes") == [3]
    overview = client.get("/").text
    assert 'data-figure="returned">1<' in overview
    assert 'data-figure="vanished">1<' in overview


def test_the_next_case_opens_by_itself_for_who_wants_it(client: FlaskClient, queue: Seeder) -> None:
    address = "/cases/3/decision?status=lead&order=newest"
    assert send(client, address, status="confirmed").headers["Location"].startswith("/cases/3?")
    send(client, "/cases/3/going-on", goes_on="1")
    send(client, "/suspects/undo")
    assert send(client, address, status="confirmed").headers["Location"] == "/cases/2?status=lead&order=newest"
    assert "案件 #3 已确认。" in client.get("/cases/2").text


def test_every_move_is_audited_with_the_old_and_the_new_value(client: FlaskClient, queue: Seeder) -> None:
    send(client, "/suspects/decisions", case=["1", "2"], status="dismissed", reason="公版")
    send(client, "/suspects/undo")
    found = [
        (one.action, one.subject, one.old, one.new) for one in reversed(queue.store.audit.find(action="case.decide"))
    ]
    assert [one[1] for one in found] == ["case:1", "case:2"]
    assert (json.loads(found[0][2] or ""), json.loads(found[0][3] or "")) == (
        {"status": "lead"},
        {"status": "dismissed", "reason": "公版"},
    )
    back = queue.store.audit.find(action="case.undo")[0]
    assert (json.loads(back.old or ""), json.loads(back.new or "")) == ({"status": "dismissed"}, {"status": "lead"})


def test_one_page_that_copies_several_works_is_one_row_and_is_decided_as_one(
    client: FlaskClient, queue: Seeder
) -> None:
    queue.case(work_id="lamp")  # number 5, the page of number 1
    assert numbers(client, "/suspects/") == [5, 4, 3, 2]
    assert numbers(client, "/suspects/?fold=none") == [5, 4, 3, 2, 1]
    page = client.get("/suspects/").text
    assert 'name="case" value="5,1"' in page
    assert "另有 1 件" in page
    send(client, "/suspects/decisions", case="5,1", status="confirmed")
    assert [n for n, status in sorted(statuses(queue).items()) if status == "confirmed"] == [1, 5]


def test_the_pages_of_a_cluster_are_one_row(client: FlaskClient, queue: Seeder) -> None:
    queue.store.cases.set_clusters({queue.store.cases.get(n).page_id: "c1" for n in "13"})
    assert numbers(client, "/suspects/") == [4, 3, 2]
    assert numbers(client, "/suspects/?cluster=c1&fold=none") == [3, 1]


def test_sites_and_works_are_rows_of_their_own_with_most_cases_first(client: FlaskClient, queue: Seeder) -> None:
    assert numbers(client, "/suspects/?fold=site") == [4, 3, 2]  # copies.example has two
    assert numbers(client, "/suspects/?fold=work") == [3, 4]
    assert re.findall(r'class="group"><td[^>]*><b>(?:<[^>]*>)*([^<]+)', client.get("/suspects/?fold=work").text) == [
        "修船的老人",
        "七秒",
    ]


def test_cases_are_assigned_and_found_by_who_has_them(client: FlaskClient, queue: Seeder) -> None:
    send(client, "/suspects/assignments", case=["1", "2"], assignee=" 李 ")
    assert numbers(client, "/suspects/?assignee=李") == [2, 1]
    assert numbers(client, "/suspects/?assignee=none") == [4, 3]
    send(client, "/suspects/assignments", case=["1"], assignee="")
    assert numbers(client, "/suspects/?assignee=李") == [2]
    assert [one.subject for one in queue.store.audit.find(action="case.assign")] == ["case:1", "case:2", "case:1"]


def test_a_filter_is_saved_for_its_user_and_dropped(client: FlaskClient, queue: Seeder) -> None:
    send(client, "/suspects/filters?status=lead&level=verbatim&page=2", name="照搬")
    page = client.get("/suspects/").text
    assert 'href="/suspects/?status=lead&amp;level=verbatim"' in page
    (saved,) = queue.store.filters.of_user("local")
    send(client, "/suspects/filters/remove", id=saved.id)
    assert queue.store.filters.of_user("local") == []
    assert send(client, "/suspects/filters", name=" ").status_code == 400


def test_the_last_decision_is_undone_once(client: FlaskClient, queue: Seeder) -> None:
    move_case(queue.store, "2", CaseStatus.CONFIRMED, by="王", reason="全文照抄", at=NOW - timedelta(days=1))
    send(client, "/suspects/decisions", case=["1", "2"], status="dismissed", reason="x")
    assert "撤销：排除 #1、#2" in client.get("/suspects/").text
    send(client, "/suspects/undo")
    assert statuses(queue) == {1: "lead", 2: "confirmed", 3: "lead", 4: "lead"}
    restored = queue.store.cases.get("2")
    assert (restored.decided_by, restored.reason) == ("王", "全文照抄")
    assert "已撤销：排除 #1、#2。" in client.get("/suspects/").text
    send(client, "/suspects/undo")
    assert "没有可撤销的判定" in client.get("/suspects/").text


def test_what_somebody_decided_since_is_not_undone(client: FlaskClient, queue: Seeder) -> None:
    send(client, "/suspects/decisions", case=["1", "3"], status="confirmed")
    move_case(queue.store, "3", CaseStatus.DISMISSED, by="李", reason="误判", at=NOW + timedelta(minutes=1))
    send(client, "/suspects/undo")
    assert statuses(queue) == {1: "lead", 2: "lead", 3: "dismissed", 4: "lead"}


def test_only_who_decided_can_undo(make_app: MakeApp, queue: Seeder) -> None:
    add_user(queue.store, "沈")
    add_user(queue.store, "陆")
    app = make_app(sign_in=True)
    mine, other = signed_in(app, "沈"), signed_in(app, "陆")
    send(mine, "/suspects/decisions", case="1", status="confirmed")
    send(other, "/suspects/undo")
    assert statuses(queue)[1] == "confirmed"
    assert "撤销：" not in other.get("/suspects/").text
    assert "撤销：确认侵权 #1" in mine.get("/cases/2").text, "on the screen of another case it names its own"


def test_decisions_are_taken_back_one_after_the_other(client: FlaskClient, queue: Seeder) -> None:
    for number, status in (("1", "confirmed"), ("2", "quiet"), ("3", "confirmed")):
        send(client, "/suspects/decisions", case=number, status=status)
    for left in (["confirmed", "quiet", "lead"], ["confirmed", "lead", "lead"], ["lead"] * 3):
        send(client, "/suspects/undo")
        assert [statuses(queue)[number] for number in (1, 2, 3)] == left
    assert "没有可撤销的判定" in post_and_follow(client, "/suspects/undo", form_at="/suspects/").text


def test_a_decision_on_the_case_page_can_be_undone_there(client: FlaskClient, queue: Seeder) -> None:
    send(client, "/cases/1/decision", status="confirmed")
    assert 'action="/cases/1/undo"' in client.get("/cases/1").text
    assert send(client, "/cases/1/undo").headers["Location"] == "/cases/1"
    assert statuses(queue)[1] == "lead"


@pytest.mark.parametrize("address", ["/suspects/decisions", "/suspects/undo", "/cases/1/undo"])
def test_a_forged_decision_is_refused(client: FlaskClient, queue: Seeder, address: str) -> None:
    client.get("/suspects/")
    assert client.post(address, data={"case": "1", "status": "confirmed"}).status_code == 400
    assert set(statuses(queue).values()) == {"lead"}


def test_a_snooze_names_its_day_and_the_menu_leads_to_what_waits(client: FlaskClient, queue: Seeder) -> None:
    day = (NOW + timedelta(days=9)).date().isoformat()
    page = post_and_follow(
        client, "/suspects/decisions", form_at="/suspects/", case="1", status="quiet", until=day
    ).text
    assert f"已静默 1 个案件，到 {day} 或抄袭增多时自动回到待判。" in page
    assert queue.store.cases.get("1").wakes_at is not None
    assert 'href="/suspects/?status=lead" aria-current="page"' in page
    page = post_and_follow(client, "/cases/2/decision", form_at="/cases/2", status="quiet", until=day).text
    assert f"案件 #2 静默，到 {day} " in page


def test_a_host_is_shown_and_asked_for_as_people_write_it(client: FlaskClient, queue: Seeder) -> None:
    case = queue.case("https://xn--1jq370b.example/1")
    assert numbers(client, "/suspects/?host=书库.example") == [case.number]
    for address in ("/suspects/?host=书库.example", "/"):
        assert "书库.example" in client.get(address).text, address


def test_buttons_for_all_cases_of_a_list_offer_what_at_least_one_of_them_allows(
    client: FlaskClient, queue: Seeder
) -> None:
    def moves_of_all(address: str) -> set[str]:
        box = re.search(r'data-all data-count="\d+" data-moves="([^"]*)"', client.get(address).text)
        assert box
        return set(box[1].split())

    assert moves_of_all("/suspects/?status=lead") >= {"confirmed", "dismissed", "quiet"}
    for number in "1234":
        move_case(queue.store, number, CaseStatus.DISMISSED, by="王", reason="公版", at=NOW)
    assert "dismissed" not in moves_of_all("/suspects/")
    assert "lead" in moves_of_all("/suspects/")
    for number in "1234":
        move_case(queue.store, number, CaseStatus.REMOVED, by="王", reason=None, at=NOW)
    assert "confirmed" not in moves_of_all("/suspects/"), "none of them came back"
    before = queue.store.cases.get("1").capture.fetched_at - timedelta(days=1)
    move_case(queue.store, "1", CaseStatus.REMOVED, by="王", reason=None, at=before)
    assert "confirmed" in moves_of_all("/suspects/")
    assert re.findall(r'<tr data-case="(\d)"[^>]* data-returned="1"', client.get("/suspects/").text) == ["1"]


def test_a_day_of_the_filter_is_no_day_of_the_decision(client: FlaskClient, queue: Seeder) -> None:
    later = (NOW + timedelta(days=40)).date().isoformat()
    send(client, f"/suspects/decisions?until={later}", case=["1"], status="quiet")
    case = queue.store.cases.get("1")
    assert (case.status, case.wakes_at) == (CaseStatus.QUIET, None)
    send(client, "/suspects/decisions?until=2020-01-01", case=["2"], status="quiet", until=later)
    assert queue.store.cases.get("2").wakes_at is not None
