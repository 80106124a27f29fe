"""A suspicion on its screens: its sentences drawn together, its reasons in words, a list of its own."""

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from matcher.model import Level, Retold
from tests.support.screens import MakeCaller
from tests.support.seed import MIDDLE, OPENING, PAGE_TEXT, WORK_TEXT, Seeder
from wenhen.cases.model import CaseStatus

TOLD = Retold(
    page_start=PAGE_TEXT.index(OPENING),
    page_end=PAGE_TEXT.index(OPENING) + len(OPENING),
    work_start=WORK_TEXT.index(MIDDLE),
    work_end=WORK_TEXT.index(MIDDLE) + len(MIDDLE),
    words=("槐树", "木凳"),
)


@pytest.fixture
def suspicion(seed: Seeder) -> Seeder:
    seed.work()
    case = seed.case(
        level=Level.SUSPECTED,
        status=CaseStatus.SUSPECTED,
        passages=(),
    )
    reasons = ("retold_summary:0.31", "theme:槐树、木凳", "structure:0.83", "differing:十九", "rival:0.71")
    match = replace(case.match, retold=(TOLD,), reasons=reasons)
    seed.store.cases.set_match(case, match, None, case.updated_at)
    return seed


@pytest.mark.usefixtures("suspicion")
def test_sentences_of_both_sides_are_drawn_together_with_the_words_that_they_share(client: FlaskClient) -> None:
    page = client.get("/cases/1").text
    assert 'id="p1" href="#w1"' in page
    assert 'id="w1" href="#p1"' in page
    assert re.search(r'<polygon[^>]*points="[^"]+"', page), "a band joins the two bars"
    assert "共有词语 <bdi>槐树、木凳</bdi>" in page


@pytest.mark.usefixtures("suspicion")
def test_it_says_that_it_is_a_suspicion_what_speaks_for_it_and_what_against(client: FlaskClient) -> None:
    page = client.get("/cases/1").text
    for words in (
        "只供人工判断，不计入抄袭",
        "改写方式：概述，篇幅是作品这一段的 31",
        "主题：两边都写到 槐树、木凳",
        "结构：作品这一段的句子",
        "不利：网页有而作品没有的数字",
        "不利：另有作品与这一段也接近",
    ):
        assert words in page
    told = [page.index(words) for words in ("有利于这一怀疑", "主题：两边", "<h3>不利之处", "不利：网页有")]
    assert told == sorted(told)
    assert "step passed" not in page, "it never was a lead"
    assert 'class="tiles"' not in page, "no figure of what was copied"
    assert "可能的来源：1 部作品" in page
    assert "合计占网页" not in page


@pytest.mark.usefixtures("suspicion")
def test_the_api_tells_the_sentences_of_both_sides_and_the_reasons_in_words(caller: MakeCaller) -> None:
    case = caller()("GET", "/cases/1").get_json()
    assert case["sentences"] == [{"page": OPENING, "work": MIDDLE, "words": ["槐树", "木凳"]}]
    told = {one["reason"]: one for one in case["reasons_told"]}
    assert [one["reason"] for one in case["reasons_told"] if one["against"]] == ["differing:十九", "rival:0.71"]
    assert told["structure:0.83"]["zh"].startswith("结构：作品这一段的句子，83")
    assert told["rival:0.71"]["en"].startswith("against: another work")


def test_a_copy_has_no_sentences_told_anew(caller: MakeCaller, seed: Seeder) -> None:
    seed.work()
    seed.case()
    assert caller()("GET", "/cases/1").get_json()["sentences"] == []


@pytest.mark.usefixtures("suspicion")
def test_it_stands_in_a_list_of_its_own_and_not_among_the_leads(client: FlaskClient) -> None:
    assert "/cases/1" in client.get("/suspects/?status=suspected").text
    assert "/cases/1" not in client.get("/suspects/?status=lead").text
