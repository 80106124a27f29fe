"""The notice names who, what and where, and what it lacks of that; once sent, its cases move on together."""

from dataclasses import replace
from io import BytesIO

import pytest
from flask import Flask
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser

from dashboard.frame.context import EXTENSION_KEY
from tests.support.holders import ready_holder
from tests.support.people import add_user, signed_in
from tests.support.screens import MakeApp, MakeCaller, post
from tests.support.seed import NOW, WORK_TEXT, Seeder, move_case
from wenhen.cases.model import CaseStatus
from wenhen.holders.model import Holder
from wenhen.kit.rights import Role
from wenhen.licences.model import Licence


@pytest.fixture
def confirmed(seed: Seeder) -> Seeder:
    """Two confirmed copies of one holder's works on a site, and what does not belong into their notice."""
    store = seed.store
    seed.work(proof="国作登字-2025-A-0001")
    seed.work("lamp", "雾里的灯塔每隔七秒亮一次。" * 30, title="七秒")
    seed.work("other", "别家的文章，写的是另一条河。" * 30, title="别家", owner="别家出版社")
    store.licences.put(Licence(id="l1", licensee="晨读网", url_prefix="copies.example/ok", work_id=None))
    seed.case("https://copies.example/1")
    seed.case("https://copies.example/2", work_id="lamp", passages=())
    seed.case("https://copies.example/3", work_id="other", passages=())
    seed.case("https://copies.example/ok", licence_id="l1")
    seed.case("https://elsewhere.example/4")
    seed.case("https://copies.example/lead")
    for number in "12345":
        move_case(store, number, CaseStatus.CONFIRMED, by="沈", reason=None, at=NOW)
    ready_holder(store)
    return seed


def letter(client: FlaskClient) -> str:
    """The words of the letter about the first case."""
    article = LexborHTMLParser(client.get("/cases/1/notice").text).css_first("article")
    assert article is not None
    return article.text()


@pytest.mark.usefixtures("confirmed")
def test_it_names_the_holder_the_works_the_addresses_and_the_proof(client: FlaskClient) -> None:
    words = letter(client)
    for part in (
        "copies.example",
        "河岸文艺社",
        "010-1234567",
        "北京市朝阳区 1 号",
        "修船的老人",
        "七秒",
        "国作登字-2025-A-0001",
    ):
        assert part in words, part
    for address in ("https://copies.example/1", "https://copies.example/2"):
        assert address in words, address
    for stranger in ("/3", "/ok", "elsewhere", "/lead", "别家"):
        assert stranger not in words, stranger
    assert "2026-03-13" in words, "a week from now, in Beijing"
    assert "还缺" not in client.get("/cases/1/notice").text


def test_what_the_regulation_asks_for_and_nobody_gave_is_named(client: FlaskClient, confirmed: Seeder) -> None:
    confirmed.store.holders.put(Holder(id="河岸文艺社"))
    page = client.get("/cases/1/notice?lang=en").text
    assert "the holder&#39;s contact" in page
    assert "the holder&#39;s address" in page


def test_what_is_no_longer_there_is_not_complained_of(client: FlaskClient, confirmed: Seeder) -> None:
    confirmed.store.cases.mark_absent([confirmed.store.cases.get("2").id], NOW)
    assert "https://copies.example/2" not in letter(client)
    assert "抄袭已消失" not in client.get("/cases/1/notice").text
    confirmed.store.cases.mark_absent([confirmed.store.cases.get("1").id], NOW)
    assert "https://copies.example/1" in letter(client), "somebody asked for this one"
    assert "抄袭已消失" in client.get("/cases/1/notice").text


def test_the_reports_screen_lists_the_notices_that_are_due_and_those_that_are_waited_for(
    client: FlaskClient, confirmed: Seeder
) -> None:
    def cells(section: str) -> list[list[str]]:
        page = LexborHTMLParser(client.get("/reports/").text)
        rows = page.css(f"section[aria-labelledby={section}] tbody tr")
        return [[cell.text().strip() for cell in row.css("th, td")][:3] for row in rows]

    assert cells("due") == [
        ["copies.example", "河岸文艺社", "2"],
        ["copies.example", "别家出版社", "1"],
        ["elsewhere.example", "河岸文艺社", "1"],
    ]
    assert cells("awaited") == []
    page = LexborHTMLParser(client.get("/cases/1/notice").text)
    numbers = [field.attributes["value"] for field in page.css("main form input[name=case]")]
    post(client, "/cases/1/notice", form_at="/cases/1/notice", case=numbers)
    assert [row[1] for row in cells("due")] == ["别家出版社", "河岸文艺社"]
    assert [row[0] for row in cells("awaited")] == ["#2", "#1"]


def test_who_may_not_send_a_notice_sees_none_that_is_due(make_app: MakeApp, confirmed: Seeder) -> None:
    add_user(confirmed.store)
    page = signed_in(make_app(sign_in=True)).get("/reports/").text
    assert "待发的通知函" not in page
    assert "侵权报告" in page


def test_once_sent_all_of_its_cases_move_on(client: FlaskClient, confirmed: Seeder) -> None:
    page = LexborHTMLParser(client.get("/cases/1/notice").text)
    numbers = [field.attributes["value"] for field in page.css("main form input[name=case]")]
    assert numbers == ["1", "2"]
    answer = post(client, "/cases/1/notice", form_at="/cases/1/notice", case=numbers)
    assert answer.status_code == 303
    cases = [confirmed.store.cases.get(str(number)) for number in range(1, 7)]
    assert [str(case.status) for case in cases] == ["notice_sent"] * 2 + ["confirmed"] * 3 + ["lead"]
    assert cases[0].deadline is not None
    assert client.get("/cases/1/notice").text.count('name="case"') == 0


def test_a_notice_is_written_edited_sent_and_answered_on_screen(client: FlaskClient, confirmed: Seeder) -> None:
    at = "/cases/1/notice"
    assert post(client, "/notices/of/1", form_at=at).headers["Location"] == "/notices/2026-0001"
    at = "/notices/2026-0001"
    assert "七秒" in client.get(at).text
    assert post(client, f"{at}/text", form_at=at, text="函 <b>", days="0").status_code == 400
    assert "函 &lt;b&gt;" in post(client, f"{at}/text", form_at=at, text="函 <b>", days="0").text
    post(client, f"{at}/text", form_at=at, text="函 <b>", days="10")
    confirmed.store.holders.put(Holder(id="河岸文艺社"))
    refused = post(client, f"{at}/sent", form_at=at, how="post")
    assert (refused.status_code, "/holders/?name=" in refused.text) == (400, True)
    ready_holder(confirmed.store)
    assert post(client, f"{at}/sent", form_at=at, how="post").status_code == 303
    for late in (f"{at}/sent", f"{at}/text", "/notices/remove"):  # from another tab
        answer = post(client, late, form_at=at, id="2026-0001", how="post", text="函", days="9")
        assert (answer.status_code, "已发出" in answer.text, "article" in answer.text) == (409, True, True), late
    file = (BytesIO(bytes(100_000)), "反通知.pdf")
    post(client, f"{at}/answers", form_at=at, kind="counter_notice", text="称已获授权", file=file)
    page = client.get(at).text
    assert ("反通知.pdf" in page, "称已获授权" in page, 'name="days"' in page) == (True, True, False)
    assert len(client.get(f"{at}/answers/0").data) == 100_000
    assert client.get(f"{at}/answers/1").status_code == 404
    assert at in client.get("/notices/").text


def test_the_states_of_addresses_are_read_on_screen_and_by_programs(
    client: FlaskClient, caller: MakeCaller, confirmed: Seeder
) -> None:
    ready_holder(confirmed.store)
    post(client, "/notices/of/1", form_at="/cases/1/notice")
    at = "/notices/2026-0001"
    assert client.get(f"{at}/addresses.txt").data == b"https://copies.example/1\r\nhttps://copies.example/2\r\n"
    assert b"https://copies.example/2" in client.get(f"{at}/addresses.csv").data
    post(client, f"{at}/sent", form_at=at, how="form")
    rows = "https://copies.example/1 已删除\nhttps://copies.example/2 封了\nhttps://x.example/ 已删除"
    page = post(client, f"{at}/states", form_at=at, rows=rows, move="1").text
    assert ("随之更新案件 1 个" in page, "2 行没有读入" in page, "封了" in page) == (True, True, True)
    assert post(client, f"{at}/states", form_at=at, rows="无").status_code == 400
    file = (BytesIO("https://copies.example/2\t处理中".encode()), "结果.txt")
    assert "处理中" in post(client, f"{at}/states", form_at=at, file=file).text
    call = caller(Role.LAWYER)
    body = {"rows": "https://copies.example/2 封了", "words": {"封了": "removed"}}
    assert call("POST", f"{at}/states", json=body).get_json()["moved"] == [2]
    assert call("POST", f"{at}/states", json=body | {"words": {"封了": "nothing"}}).status_code == 422
    assert call("GET", f"{at}/addresses.csv").status_code == 200


def test_an_administrator_sets_what_a_platform_asks_for(client: FlaskClient, seed: Seeder) -> None:
    at = "/platforms/?id=weibo"
    assert "未核对" in client.get(at).text
    form = {
        "id": "weibo",
        "name": "微博",
        "hosts": "weibo.com weibo.cn",
        "days": "5",
        "required": "身份证明",
        "checked": "1",
    }
    assert post(client, "/platforms/", form_at=at, **{**form, "days": "0"}).status_code == 400
    assert post(client, "/platforms/", form_at=at, **form).status_code == 303
    [kept] = seed.store.platforms.all()
    assert (kept.hosts, kept.days, kept.checked_at) == (("weibo.com", "weibo.cn"), 5, NOW)
    post(client, "/platforms/remove", form_at=at, id="weibo")
    assert seed.store.platforms.all() == []


def test_programs_write_send_and_answer(caller: MakeCaller, confirmed: Seeder) -> None:
    call = caller(Role.LAWYER)
    [written] = call("POST", "/notices", json={"case": 1}).get_json()
    path = f"/notices/{written['id']}"
    assert call("PUT", f"{path}/text", json={"text": "函", "days": 3}).get_json()["text"] == "函\n"
    assert call("POST", f"{path}/sendings", json={"how": "form"}).get_json()["sent_at"] is not None
    assert call("DELETE", path).status_code == 409
    call("POST", f"{path}/answers", json={"kind": "removed", "text": "已删"})
    assert [one["kind"] for one in call("GET", path).get_json()["answers"]] == ["removed"]
    assert [one["id"] for one in call("GET", "/notices?case=2").get_json()] == [written["id"]]
    assert call("PUT", "/platforms/own", json={"name": "自定"}).status_code == 403
    assert caller()("PUT", "/platforms/own", json={"name": "自定"}).status_code == 200
    assert "own" in [one["id"] for one in call("GET", "/platforms").get_json()]


def strict(app: Flask) -> None:
    """Notices need two persons from now on."""
    held = app.extensions[EXTENSION_KEY]
    notice = held.product.settings.notice.model_copy(update={"two_persons": True})
    settings = held.product.settings.model_copy(update={"notice": notice})
    app.extensions[EXTENSION_KEY] = replace(held, product=replace(held.product, settings=settings))


@pytest.mark.usefixtures("confirmed")
def test_no_step_is_offered_that_would_be_refused_and_a_refusal_stays_with_its_letter(client: FlaskClient) -> None:
    at = "/cases/1/notice"
    preview = client.get(at).text
    assert ("拟定通知函（2 件）" in preview, "件记为已发通知" in preview) == (True, True)
    held = client.application.extensions[EXTENSION_KEY]
    strict(client.application)
    try:
        assert "件记为已发通知" not in client.get(at).text
        assert 'value="notice_sent"' not in client.get("/cases/1").text
        refused = post(client, at, form_at=at, case=["1"])
        assert (refused.status_code, "须两人办理" in refused.text, "拟定通知函（2 件）" in refused.text) == (
            400,
            True,
            True,
        )
        letter_at = post(client, "/notices/of/1", form_at=at).headers["Location"]
        page = client.get(letter_at).text
        assert ("须由另一人复核" in page, "复核通过" in page, "已寄出" in page) == (True, False, False)
    finally:
        client.application.extensions[EXTENSION_KEY] = held
    refused = post(client, "/notices/of/1", form_at=letter_at)
    assert (refused.status_code, "已写进通知 2026-0001" in refused.text) == (400, True)
    preview = client.get(at).text
    assert ("已写进通知 2026-0001" in preview, "拟定通知函（" in preview) == (True, False)
    assert "拟定通知函（2 件）" in client.get(f"{at}?platform=bing").text


def test_without_its_papers_a_letter_is_written_and_not_sent(client: FlaskClient, confirmed: Seeder) -> None:
    ready_holder(confirmed.store, papers=())
    preview = client.get("/cases/1/notice").text
    assert ("拟定通知函（2 件）" in preview, "件记为已发通知" in preview) == (True, False)
    at = post(client, "/notices/of/1", form_at="/cases/1/notice").headers["Location"]
    assert "已寄出" not in client.get(at).text


def test_the_second_letter_says_on_screen_that_it_repeats_the_first(client: FlaskClient, confirmed: Seeder) -> None:
    at = post(client, "/notices/of/1", form_at="/cases/1/notice").headers["Location"]
    post(client, f"{at}/sent", form_at=at, how="post")
    move_case(confirmed.store, "2", CaseStatus.REMOVED, by="沈", at=NOW)
    move_case(confirmed.store, "2", CaseStatus.CONFIRMED, by="沈", at=NOW)
    page = client.get("/cases/2/notice").text
    assert ("重复侵权" in page, "曾列入通知 2026-0001" in page, "copies.example/1" in letter_of(page)) == (
        True,
        True,
        False,
    )
    second = post(client, "/notices/of/2", form_at="/cases/2/notice").headers["Location"]
    assert (second, at in client.get(second).text) == ("/notices/2026-0002", True)


def test_a_case_says_that_its_figures_are_of_another_version_than_its_notice(
    client: FlaskClient, confirmed: Seeder, caller: MakeCaller
) -> None:
    at = post(client, "/notices/of/1", form_at="/cases/1/notice").headers["Location"]
    post(client, f"{at}/sent", form_at=at, how="post")
    assert "所依据的数字" not in client.get("/cases/1").text
    confirmed.work(text=WORK_TEXT + "新写的一章，比原来的还长。" * 40)
    confirmed.case("https://copies.example/1", share=0.4)
    page = LexborHTMLParser(client.get("/cases/1").text).text()
    assert "作品第 1 版、2026-03-05 22:30:00 抓取的网页，占作品 68.5%，占网页 83.2%，片段 2 个" in page, page
    assert "现在的数字出自另一版本：作品第 2 版、2026-03-05 22:30:00 抓取的网页，占作品 68.5%，占网页 40.0%" in page
    english = LexborHTMLParser(client.get("/cases/1", headers={"Accept-Language": "en"}).text).text()
    assert "The figures of this case are of another version now" in english
    [told] = caller()("GET", "/cases/1").get_json()["outdated_figures"]
    assert (told["notice"], told["then"]["share_of_page"], told["now"]["share_of_page"]) == ("2026-0001", 0.832, 0.4)


def letter_of(page: str) -> str:
    article = LexborHTMLParser(page).css_first("article")
    return article.text() if article else ""
