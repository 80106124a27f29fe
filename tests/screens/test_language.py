"""Every word on the screen is in both languages, and the reader's choice is kept."""

import re
from pathlib import Path
from string import Formatter

import pytest
from flask.testing import FlaskClient

import dashboard
from crawler.extraction.model import ContactKind, DropReason
from crawler.site_access import HEADER_PROFILES
from dashboard.accounts.views import BROWSERS, SYSTEMS
from matcher.model import Change, CommonReason, Level
from tests.support.screens import CJK
from tests.support.seed import Seeder
from wenhen.alerts.model import AlertEvent, AlertPace
from wenhen.analysis.model import ChartPeriod, Measure
from wenhen.cases.model import CaseStatus
from wenhen.crawls.model import RunKind, RunState
from wenhen.discovery.model import ListingState
from wenhen.evidence.model import ExhibitReason
from wenhen.exclusions.model import Excluded, ExclusionScope
from wenhen.holders.model import PaperKind
from wenhen.kit.progress import OwnerKind, Step
from wenhen.kit.rights import Right, Role
from wenhen.notices.due_tasks import ToDo
from wenhen.notices.model import AnswerKind, AssignedBy, DeliveryState, NoticeLaw, SentBy
from wenhen.notices.word_templates import WordKind
from wenhen.reports.wording import catalogue
from wenhen.sites.model import Layout
from wenhen.texts.source_lookup import Nearness

PACKAGE = Path(dashboard.__file__).parent
ROOT = PACKAGE.parent
TEMPLATES = sorted(PACKAGE.glob("*/templates/**/*.html"))
SOURCES = [*TEMPLATES, *sorted(PACKAGE.rglob("*.py")), *sorted((ROOT / "wenhen/reports").rglob("*.py"))]
ENTRIES = catalogue().entries
# Keys that are put together from a group and a value.
VALUES = {
    "pace",
    "threshold",
    "lacks",
    "discovery",
    "discoveries",
    "event",
    "measure",
    "status",
    "level",
    "edit",
    "filter",
    "dismissal",
    "ground",
    "step",
    "owner",
    "run",
    "kind",
    "problem",
    "note",
    "room",
    "count",
}
PARTS = {"fetch", "server", "reason", "nav", "error", "report", "case", "keys", "suspects", "intake", "sites"}
PEOPLE = {"role", "right", "audit"}
MORE = {
    "licences",
    "layout",
    "state",
    "headers",
    "common",
    "unmatched",
    "excluded",
    "excluded_of",
    "excluded_why",
    "exhibit_why",
    "worth",
    "place",
    "print",
    "mark",
    "near",
    "paper",
    "answer",
    "was_sent",
    "to_do",
    "word_kind",
    "sent_by",
    "assigned_by",
    "delivery",
    "notice_law",
    "rule_act",
    "search",
    "search_state",
    "backup_state",
    "regions_state",
}
GROUPS = (
    VALUES
    | PARTS
    | PEOPLE
    | MORE
    | {"work_form", "why", "map", "written", "listing", "listing_days", "outcome", "help"}
    | {"alert", "pace", "contact", "browser", "browser_system"}
    | {"setting", "setting_about", "setting_choice", "settings_group", "settings_try"}
)


def figures(words: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(words) if name is not None}


def test_both_languages_have_words_with_the_same_figures() -> None:
    assert [key for key, entry in ENTRIES.items() if sorted(entry) != ["en", "zh"]] == []
    assert [key for key, entry in ENTRIES.items() if not (entry["zh"].strip() and entry["en"].strip())] == []
    assert [key for key, entry in ENTRIES.items() if figures(entry["zh"]) != figures(entry["en"])] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_key_that_is_named_has_words(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    named = set(re.findall(r"""\b(?:t|both|in_both_languages)\(\s*["']([a-z_0-9.]+[a-z0-9])["']""", source))
    assert named <= set(ENTRIES)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_speaks_chinese_by_itself(path: Path) -> None:
    assert CJK.findall(path.read_text(encoding="utf-8")) == []


def test_no_words_lie_about_unused() -> None:
    everything = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    unused = [key for key in ENTRIES if key not in everything and key.split(".")[0] not in GROUPS]
    assert unused == []


@pytest.mark.parametrize(
    ("group", "values"),
    [
        ("status", CaseStatus),
        ("excluded", Excluded),
        ("excluded_of", ExclusionScope),
        ("exhibit_why", ExhibitReason),
        ("alert", AlertEvent),
        ("pace", AlertPace),
        ("paper", PaperKind),
        ("answer", AnswerKind),
        ("to_do", ToDo),
        ("word_kind", WordKind),
        ("sent_by", SentBy),
        ("assigned_by", AssignedBy),
        ("delivery", DeliveryState),
        ("listing", ListingState),
        ("notice_law", NoticeLaw),
        ("layout", Layout),
        ("contact", ContactKind),
        ("state", RunState),
        ("level", Level),
        ("level", Change),
        ("step", Step),
        ("owner", OwnerKind),
        ("run", RunKind),
        ("pace", ChartPeriod),
        ("measure", Measure),
        ("role", Role),
        ("right", Right),
        ("common", CommonReason),
        ("near", Nearness),
        ("unmatched", DropReason),
    ],
)
def test_every_value_of_the_records_has_words(group: str, values: type[Step]) -> None:
    assert [value for value in values if f"{group}.{value}" not in ENTRIES] == []


def test_every_browser_and_system_has_words() -> None:
    keys = [*(f"browser.{name}" for name in BROWSERS), *(f"browser_system.{name}" for name in SYSTEMS)]
    assert [key for key in keys if key not in ENTRIES] == []


def test_every_header_profile_has_words() -> None:
    assert [name for name in HEADER_PROFILES if f"headers.{name}" not in ENTRIES] == []


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (None, "zh-CN"),
        ("en-US,en;q=0.9", "en"),
        ("zh-TW,zh;q=0.9,en;q=0.8", "zh-TW"),
        ("en;q=0.5,zh-CN", "zh-CN"),
        ("de,fr;q=0.7", "zh-CN"),
        ("zh-TW,zh;q=0.8", "zh-TW"),
        ("zh-Hant-HK,en", "zh-TW"),
    ],
)
def test_the_language_of_the_browser_is_heeded_and_chinese_comes_first(
    client: FlaskClient, asked: str | None, given: str
) -> None:
    answer = client.get("/", headers={"Accept-Language": asked} if asked else {})
    assert f'<html lang="{given}">' in answer.text
    assert answer.headers["Content-Language"] == given
    assert '<html lang="zh-CN">' in client.get("/?lang=zh", headers={"Accept-Language": "en"}).text


def test_the_api_says_that_it_speaks_english(client: FlaskClient) -> None:
    assert client.get("/api/v1/works").headers["Content-Language"] == "en"


def test_the_choice_is_remembered(client: FlaskClient) -> None:
    client.get("/works/?lang=en")
    assert '<html lang="en">' in client.get("/").text
    client.get("/?lang=zh")
    assert '<html lang="zh-CN">' in client.get("/").text


def test_a_reader_in_taiwan_reads_the_words_of_taiwan_and_texts_as_they_are(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    page = client.get("/works/?lang=tw").text
    assert '<html lang="zh-TW">' in page
    assert "匯入" in page
    assert "导入" not in page
    assert ">简体中文</a>" in page
    for address in ("/", "/suspects/", "/cases/1", "/sites/", "/health/", "/help/start", "/works/marks/", "/alerts/"):
        assert client.get(address).status_code == 200, address


def test_an_unknown_language_changes_nothing(client: FlaskClient) -> None:
    answer = client.get('/help/?lang="><script>')
    assert '<html lang="zh-CN">' in answer.text
    assert "Set-Cookie" not in answer.headers


def test_the_switch_keeps_the_filter_and_cannot_be_told_where_to_lead(client: FlaskClient) -> None:
    page = client.get("/suspects/?status=lead&_scheme=javascript&_external=1&endpoint=x").text
    assert 'href="?status=lead&amp;_scheme=javascript&amp;_external=1&amp;endpoint=x&amp;lang=en"' in page


def test_every_action_that_is_written_into_the_audit_log_has_words() -> None:
    rooms = (PACKAGE, ROOT / "wenhen")
    sources = "\n".join(path.read_text(encoding="utf-8") for room in rooms for path in room.rglob("*.py"))
    written = set(
        re.findall(
            r'(?:@audited|_note|record|audit\.add_all|audit\.add)\(\s*(?:[^"()]*(?:\(\)[^"()]*)*,\s*)?"([a-z_]+\.[a-z_]+)"',
            sources,
        )
    )
    assert {"user.add", "session.begin"} <= written
    assert [action for action in written if f"audit.{action}" not in ENTRIES] == []
