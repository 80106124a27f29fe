"""The analysis: every figure on the screen and in the workbook is what the store counts."""

import re
from dataclasses import replace
from datetime import date, timedelta
from html import unescape
from io import BytesIO
from itertools import pairwise

import openpyxl
import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from dashboard.analysis.figures import CHART_HEIGHT, stack_columns
from matcher.model import Level
from tests.support.screens import post
from tests.support.seed import NOW, Seeder, move_case
from wenhen.analysis.model import ChartPeriod, Period, Scope, fill_periods, next_period_start, period_start
from wenhen.analysis.service import recent_days_question, with_readable_period
from wenhen.cases.model import CaseStatus
from wenhen.pages.model import TextSeen


@pytest.fixture
def cases(seed: Seeder) -> Seeder:
    """Three copies on two hosts, one of them confirmed, and one dismissed case."""
    seed.work()
    seed.case("https://a.example/1", share=0.95)
    seed.case("https://a.example/2", share=0.4, level=Level.VERBATIM, opened_at=NOW - timedelta(days=40))
    seed.case("https://b.example/3")
    seed.case("https://b.example/4")
    move_case(seed.store, "3", CaseStatus.CONFIRMED, by="沈", reason=None, at=NOW)
    move_case(seed.store, "4", CaseStatus.DISMISSED, by="沈", reason="引用", at=NOW)
    return seed


def shown(client: FlaskClient, **arguments: str) -> LexborHTMLParser:
    answer = client.get("/analysis/", query_string=arguments)
    assert answer.status_code == 200, answer.text
    return LexborHTMLParser(answer.text)


def figure(page: LexborHTMLParser, name: str) -> int:
    node = page.css_first(f'[data-figure="{name}"]')
    assert node is not None
    return int(node.text().replace(",", ""))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_screen_counts_what_the_store_counts(client: FlaskClient, cases: Seeder, language: str) -> None:
    page = shown(client, lang=language)
    levels = cases.store.figures.of_copies(Scope(), 10).levels
    assert levels == {Level.VERBATIM: 1, Level.LIGHT: 2}
    assert figure(page, "copies") == 3
    assert {level: figure(page, f"level-{level}") for level in levels} == levels


def test_the_scope_in_the_address_narrows_the_figures(client: FlaskClient, cases: Seeder) -> None:
    assert figure(shown(client, host="a.example"), "copies") == 2
    assert figure(shown(client, confirmed="1"), "copies") == 1
    assert figure(shown(client, level="verbatim"), "copies") == 1
    assert figure(shown(client, since="2026-03-01", until="2026-03-31"), "copies") == 2


def card(page: LexborHTMLParser, name: str) -> str:
    node = page.css_first(f"[aria-labelledby={name}]")
    assert node is not None
    return node.text()


def test_texts_of_pages_are_told_by_site_length_language_script_and_charset(client: FlaskClient, seed: Seeder) -> None:
    text = TextSeen(site="a.example", new=True, length=800, language="zh", script="traditional", charset="big5")
    seed.store.text_tallies.count([text, replace(text, new=False, language=None, script=None)], NOW)
    page = shown(client)
    assert (figure(page, "texts-new"), figure(page, "texts-changed")) == (1, 1)
    said = {kind: card(page, f"texts-{kind}") for kind in ("length", "script", "charset", "sites")}
    assert "300–999" in said["length"]
    assert "繁体" in said["script"]
    assert "未知" in said["script"]
    assert "big5" in said["charset"]
    assert "a.example" in said["sites"]
    assert "没有新的网页文本" in card(shown(client, host="b.example"), "texts")


def test_an_empty_store_says_so(client: FlaskClient) -> None:
    assert "这段时间没有案件" in client.get("/analysis/").text


@pytest.mark.parametrize("wrong", [{"since": "gestern"}, {"pace": "hour"}, {"since": "2026-03-32"}])
def test_a_question_that_makes_no_sense_is_refused_with_its_reason(client: FlaskClient, wrong: dict[str, str]) -> None:
    answer = client.get("/analysis/", query_string=wrong)
    assert answer.status_code == 400
    assert "use" in answer.text or "2026-03" in answer.text


def test_the_workbook_holds_the_same_figures(client: FlaskClient, cases: Seeder) -> None:
    answer = client.get("/analysis/analysis.xlsx")
    book = openpyxl.load_workbook(BytesIO(answer.data))
    assert len(book.sheetnames) == 16
    months = list(book["每月进展 Month by month"].iter_rows(min_row=2, values_only=True))
    assert sum(row[1] for row in months) == 4, "found"
    levels = {row[0]: row[1] for row in book["相似程度 Levels"].iter_rows(min_row=2, values_only=True)}
    assert levels == {"原样照搬 Verbatim": 1, "略有改动 Lightly changed": 2}
    over_time = book["历期案件 Over time"]
    counts = [cell for row in over_time.iter_rows(min_row=2, min_col=3, values_only=True) for cell in row]
    assert sum(count for count in counts if isinstance(count, int)) == 4
    sites = {row[0]: row for row in book["站点 Sites"].iter_rows(min_row=2, values_only=True)}
    assert set(sites) == {"a.example", "b.example"}
    assert book["历期案件 Over time"]._charts, "the figures are drawn beside their table"
    scope = {row[0]: row[1] for row in book.worksheets[0].iter_rows(values_only=True)}
    assert scope["只计人工确认的 Confirmed only"] == "否 no"
    days = [row[0] for row in book["发表到被抄 Delay"].iter_rows(min_row=2, values_only=True)]
    assert days[:3] == ["早于发表 before", "0", "1"]


def test_amounts_stand_on_screen_and_in_the_workbook_by_month_and_holder(client: FlaskClient, cases: Seeder) -> None:
    sent = post(client, "/cases/3/amounts", form_at="/cases/3", kind="agreed", amount="12,000.5", day="2026-03-02")
    assert sent.status_code == 303
    table = card(shown(client), "money")
    assert all(words in table for words in ("2026-03", "河岸文艺社", "CNY", "12,000.50")), table
    assert "12,000.50" not in card(shown(client, host="a.example"), "money")
    book = openpyxl.load_workbook(BytesIO(client.get("/analysis/analysis.xlsx").data))
    [row] = book["费用与和解 Fees and settlements"].iter_rows(min_row=2, values_only=True)
    assert row == ("2026-03", "河岸文艺社", "CNY", 0, 0, 12_000.5, 0, 0)


def test_a_column_over_time_leads_to_the_cases_of_its_days(client: FlaskClient, cases: Seeder) -> None:
    page = client.get("/analysis/", query_string={"pace": "week"}).text
    columns = re.findall(r'<a href="(/suspects/\?since=[^"]*)" aria-label="[^"]*: (\d+)"', page)
    assert sorted(count for _, count in columns) == ["1", "3"]
    for address, count in columns:
        assert len(re.findall("<tr data-case=", client.get(unescape(address)).text)) == int(count)


def test_the_same_analysis_gives_the_same_bytes(client: FlaskClient, cases: Seeder) -> None:
    assert client.get("/analysis/analysis.xlsx").data == client.get("/analysis/analysis.xlsx").data


DAYS = st.dates(min_value=date(2020, 1, 1), max_value=date(2030, 1, 1))


@given(first=DAYS, length=st.integers(0, 800), pace=st.sampled_from(ChartPeriod))
def test_periods_follow_each_other_without_a_gap_and_hold_every_day(
    first: date, length: int, pace: ChartPeriod
) -> None:
    last = first + timedelta(days=length)
    found = fill_periods([], pace, first, last)
    assert found[0].start <= first
    assert next_period_start(found[-1].start, pace) > last
    for one, following in pairwise(found):
        assert next_period_start(one.start, pace) == following.start == period_start(following.start, pace)


def test_filling_keeps_the_counts_that_are_there() -> None:
    counted = Period(start=date(2026, 3, 2), cases={CaseStatus.LEAD: 4})
    filled = fill_periods([counted], ChartPeriod.DAY, date(2026, 3, 1), date(2026, 3, 3))
    assert [sum(one.cases.values()) for one in filled] == [0, 4, 0]


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 10_000)), max_size=30))
def test_columns_stand_on_the_ground_and_are_as_high_as_their_counts(rows: list[dict[str, int]]) -> None:
    chart = stack_columns([(str(at), counts) for at, counts in enumerate(rows)], "abc")
    for column, counts in zip(chart.columns, rows, strict=True):
        assert column.total == sum(counts.values()) <= chart.top
        height = sum(part.height for part in column.parts)
        assert height == pytest.approx(CHART_HEIGHT * column.total / chart.top, abs=0.01)
        if column.parts:
            assert column.parts[0].y + column.parts[0].height == pytest.approx(CHART_HEIGHT, abs=0.01)


def test_a_long_time_is_shown_at_a_slower_pace() -> None:
    quarter = recent_days_question(date(2026, 3, 6))
    assert quarter.pace is ChartPeriod.DAY
    assert with_readable_period(recent_days_question(date(2026, 3, 6), 365)).pace is ChartPeriod.WEEK
    assert with_readable_period(recent_days_question(date(2026, 3, 6), 3650)).pace is ChartPeriod.MONTH
