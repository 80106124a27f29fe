"""What waits for one person: first on the overview, with a number in the header; who a comment names is told."""

from datetime import timedelta

import pytest
from flask import Flask
from selectolax.lexbor import LexborHTMLParser

from tests.support.people import add_user, signed_in
from tests.support.screens import MakeApp, MakeCaller, post, post_and_follow
from tests.support.seed import NOW, Seeder, move_case
from wenhen.alerts.mentions import MENTION_RULE
from wenhen.alerts.model import AlertEvent
from wenhen.cases.model import CaseStatus


@pytest.fixture
def app(make_app: MakeApp, seed: Seeder) -> Flask:
    """Four cases of which 沈 has two, one of them confirmed, and is asked on a third."""
    seed.work()
    for number in range(1, 5):
        seed.case(f"https://copies.example/{number}")
    for name in ("沈", "沈 Yan", "陆"):
        add_user(seed.store, name)
    move_case(seed.store, "2", CaseStatus.CONFIRMED, by="陆", at=NOW)
    seed.store.cases.assign([1, 2], "沈", moment=NOW)
    seed.store.cases.ask([3], "沈", by="陆", moment=NOW)
    return make_app(sign_in=True)


def test_it_stands_first_on_the_overview_and_in_the_header(app: Flask) -> None:
    page = signed_in(app, "沈").get("/").text
    assert page.index("我的待办") < page.index('id="counts"')
    for figure in ("mine-to-judge", "mine-to-pursue", "mine-asked"):
        assert f'data-figure="{figure}">1<' in page, figure
    assert ("待我判定 1" in page, "/cases/3" in page.partition('id="counts"')[0]) == (True, True)
    other = signed_in(app, "陆").get("/").text
    assert ("我的待办" in other, "待我判定" in other) == (False, False)


def test_who_a_comment_names_is_told_by_the_bell(app: Flask, seed: Seeder) -> None:
    text = "@沈 yan 请看 https://copies.example/<b>，与原作相同 @nobody @陆"
    post(signed_in(app, "陆"), "/cases/4/comments", form_at="/cases/4", comment=text)
    [told] = seed.store.alerts.of_user("沈 Yan")
    assert (told.event, told.rule_id, told.case_number) == (AlertEvent.MENTIONED, MENTION_RULE, 4)
    assert seed.store.alerts.of_user("沈") == seed.store.alerts.of_user("陆") == []
    reader = signed_in(app, "沈 Yan")
    overview = reader.get("/").text
    assert "提醒 1" in overview
    assert overview.index("提到我的评论") < overview.index("/cases/4#comments") < overview.index('id="counts"')
    assert "评论中提到我" in reader.get("/alerts/").text
    page = reader.get("/cases/4").text
    assert ('href="https://copies.example/"' in page, "<b>@陆</b>" in page, "&lt;b&gt;，与原作" in page) == (
        True,
        True,
        True,
    )


def test_a_comment_that_names_nobody_says_so_at_once_and_is_kept(app: Flask, seed: Seeder, caller: MakeCaller) -> None:
    reader = signed_in(app, "陆")
    after = post_and_follow(reader, "/cases/4/comments", form_at="/cases/4", comment="@沈 yen 请看，@nobody 也看").text
    assert "没有名为“nobody”、可以提醒的用户" in after
    assert "@沈 yen 请看，@nobody 也看" in LexborHTMLParser(after).text()
    assert len(seed.store.alerts.of_user("沈")) == 1
    english = reader.get("/cases/4", headers={"Accept-Language": "en"})
    assert "nobody who can be told" not in english.text, "it is said once"
    call = caller()
    written = call("POST", "/cases/4/comments", json={"text": "@沈Yen 请看"})
    assert (written.status_code, written.get_json()["untold"]) == (201, [])
    written = call("POST", "/cases/4/comments", json={"text": "@陸 请看，@Shen"}).get_json()
    assert [(one["name"], one["near"]) for one in written["untold"]] == [("陸", []), ("Shen", [])]
    assert "nobody who can be told is called “Shen”" in written["untold"][1]["said"]
    assert written["text"] == "@陸 请看，@Shen"
    corrected = call("PUT", f"/cases/4/comments/{written['id']}", json={"text": "@陆 请看"})
    assert (corrected.status_code, corrected.get_json()["untold"]) == (200, [])


def test_a_comment_is_corrected_and_withdrawn_by_its_author_alone(app: Flask, seed: Seeder) -> None:
    lu, shen = signed_in(app, "陆"), signed_in(app, "沈")
    post(lu, "/cases/4/comments", form_at="/cases/4", comment="像是引用")
    [said] = seed.store.comments.of_case(4)
    at = f"/cases/4/comments/{said.id}"
    assert ("更正或撤回" in lu.get("/cases/4").text, "更正或撤回" in shen.get("/cases/4").text) == (True, False)
    assert post(shen, at, form_at="/cases/4", comment="不是").status_code == 403
    assert post(lu, at, form_at="/cases/4", comment=" ").status_code == 400
    post(lu, at, form_at="/cases/4", comment="不是引用")
    page = shen.get("/cases/4").text
    assert ("不是引用" in page, "更正于 <time" in page, "像是引用" in page) == (True, True, False)
    post(lu, at, form_at="/cases/4", change="withdraw", comment="不是引用")
    page = shen.get("/cases/4").text
    assert ("不是引用" in page, "作者已撤回这条评论：<time" in page, "更正或撤回" in lu.get("/cases/4").text) == (
        False,
        True,
        False,
    )
    assert seed.store.comments.search("引用", 9) == []
    kept = [(entry.old, entry.new) for entry in seed.store.audit.find(subject="case:4", limit=9)]
    assert ('{"comment": "像是引用"}', '{"comment": "不是引用"}') in kept
    assert ('{"comment": "不是引用"}', None) in kept


def test_after_a_day_a_comment_stands(app: Flask, seed: Seeder) -> None:
    seed.store.comments.add(4, by="陆", text="已致电对方", moment=NOW - timedelta(days=1, seconds=1))
    [said] = seed.store.comments.of_case(4)
    lu = signed_in(app, "陆")
    assert "更正或撤回" not in lu.get("/cases/4").text
    refused = post(lu, f"/cases/4/comments/{said.id}", form_at="/cases/4", comment="没有致电")
    assert (refused.status_code, "请另写一条评论" in refused.text) == (400, True)
    assert seed.store.comments.of_case(4) == [said]
