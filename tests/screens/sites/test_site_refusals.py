"""Whatever is refused of a site is told in the reader's language: every error is raised, and its words are found."""

import json
from collections.abc import Callable, Mapping

import pytest

from crawler.fetch.proxy_pool import parse_proxy
from crawler.site_access import parse_cookies
from dashboard.sites.site_views import site_refusal_words
from tests.support.acting import by
from tests.support.screens import CJK, MakeApp
from tests.support.seed import Seeder
from wenhen.kit.errors import BadInput, Conflict, Message, message, plain_message, sentences
from wenhen.kit.rights import RIGHTS, Role
from wenhen.runtime.wiring import App
from wenhen.sites.access import enable_font_deciphering, override_robots, set_proxies, set_session_cookies
from wenhen.sites.import_export import import_book_sources, import_sites_csv
from wenhen.sites.service import add_site, choose_site_ids, edit_site

FAR = {"urls": "http://far.example/"}
Act = Callable[[App], object]


def setting(name: str, text: str) -> Act:
    return lambda app: edit_site(by(app), "copies", {name: text})


def csv(text: str) -> Act:
    def take(app: App) -> None:
        operator = by(app, rights=RIGHTS[Role.OPERATOR])
        for _, reason, _ in import_sites_csv(operator, text.encode("latin-1")).refused:
            raise BadInput(reason.code, **reason.figures)

    return take


def sources(text: str) -> Act:
    def take(app: App) -> None:
        for _, reason, _ in import_book_sources(by(app), text.encode()).refused:
            raise BadInput(reason.code, **reason.figures)

    return take


WRONG: Mapping[str, Act] = {
    "sites.no_setting": setting("colour", "red"),
    "sites.bad_address": setting("urls", "ftp://a.example"),
    "sites.login_in_address": setting("urls", "http://me:word@a.example/"),
    "sites.no_address": setting("urls", " "),
    "sites.bad_host": setting("hosts", "http://a.example"),
    "sites.several_hosts": setting("mirrors", "*.a.example"),
    "sites.none_of": setting("layout", "blog"),
    "sites.too_long": setting("name", "长" * 201),
    "sites.bad_truth": setting("paused", "perhaps"),
    "sites.no_whole_number": setting("max_pages", "1.5"),
    "sites.no_number": setting("every", "often"),
    "sites.bounds": setting("every", "0"),
    "sites.bad_cron": setting("cron", "daily"),
    "sites.no_such_day": setting("cron", "0 3 31 2 *"),
    "sites.bad_quiet": setting("quiet", "night"),
    "sites.quiet_all_day": setting("quiet", "08:00-08:00"),
    "sites.bad_pattern": setting("include", "re:("),
    "sites.no_profile": setting("headers", "chrome"),
    "sites.bad_selector": setting("text_at", "[["),
    "sites.bad_spider": setting("spider", "riverside"),
    "sites.internal": lambda app: add_site(by(app), {"urls": "http://127.0.0.1:8080/"}),
    "sites.taken": lambda app: [add_site(by(app), FAR) for _ in range(2)],
    "sites.bad_id": lambda app: add_site(by(app), FAR, id="a/b"),
    "sites.no_tag": lambda app: choose_site_ids(app, [], "诗"),
    "sites.none_named": lambda app: choose_site_ids(app, [], None),
    "csv.unknown_column": csv("urls,colour\n"),
    "csv.missing_column": csv("name\n"),
    "csv.not_csv": csv('"urls\n'),
    "csv.not_text": csv("urls\n\xff"),
    "csv.more_fields": csv("urls\nhttp://a.example/,b\n"),
    "csv.bad_line": csv('urls\n"http://a.example/\n'),
    "sites.no_book_sources": sources("{"),
    "sites.many_book_sources": sources(json.dumps([0] * 5_001)),
    "sites.no_source_address": sources("[{}]"),
    "sites.source_without_text": sources(json.dumps([{"bookSourceUrl": "http://a.example", "bookSourceType": 1}])),
    "sites.internal_line": csv("urls,internal\nhttp://a.example/,yes\n"),
    "sites.administrators_line": csv("urls,decipher\nhttp://a.example/,licensed\n"),
    "access.not_its_cookies": lambda app: set_session_cookies(
        by(app), "copies", ".a.example\tTRUE\t/\tFALSE\t0\tsid\t1\n"
    ),
    "access.no_cookies": lambda _: parse_cookies("nothing", "a.example"),
    "access.not_seven_fields": lambda _: parse_cookies("a\tb\n", "a.example"),
    "access.unreadable_cookies": lambda _: parse_cookies(
        "# none\n.a.example\tTRUE\t/\tFALSE\t0\tsid\t1\n", "a.example"
    ),
    "access.empty_cookies": lambda _: parse_cookies("\t\n", "a.example"),
    "access.bad_proxy": lambda _: parse_proxy("socks5://a:1"),
    "access.unknown_proxy": lambda app: set_proxies(by(app), "copies", ["http://me:***@a.example:1"]),
    "access.no_reason": lambda app: override_robots(by(app), "copies", reason=" "),
    "access.no_font_reason": lambda app: enable_font_deciphering(by(app), "copies", reason=" "),
}
OF_SURVEYS = {"sites.survey_too_long", "sites.survey_failed"}  # which a process of its own makes
AROUND = {
    "sites.bad_setting",
    "csv.line",
    "csv.line_and_row",
}  # a reason with the name of its setting, the place of a line
BEHIND = {"sites.host_name"}  # of mirrors, whose hosts were read before
AUDITS = {"sites.not_audited"}  # of the API alone


def test_every_sentence_is_tried() -> None:
    known = {code for code in sentences() if code.startswith(("sites.", "access.", "csv."))}
    assert set(WRONG) == known - OF_SURVEYS - AROUND - BEHIND - AUDITS


@pytest.mark.parametrize("code", WRONG)
def test_a_refusal_is_told_in_both_languages(code: str, product: App, seed: Seeder, make_app: MakeApp) -> None:
    seed.library()
    with pytest.raises((BadInput, Conflict)) as refused:
        WRONG[code](product)
    message = refused.value.message
    reason = message.figures.get("reason", message)
    assert isinstance(reason, Message)
    assert reason.code == code
    app = make_app()
    with app.test_request_context("/?lang=zh"):
        assert site_refusal_words(message).endswith(reason.text("zh"))
        assert CJK.search(reason.text("zh"))
    with app.test_request_context("/?lang=en"):
        assert site_refusal_words(message).endswith(reason.text("en"))


def test_the_setting_is_named_as_the_form_names_it_and_what_another_program_said_stays_as_it_is(
    make_app: MakeApp,
) -> None:
    bounds = Message("sites.bounds", {"given": "0", "least": 0.1, "most": 8760})
    with make_app().test_request_context("/"):
        named = Message("sites.bad_setting", {"setting": "every", "reason": bounds})
        assert site_refusal_words(named) == "间隔（小时） — 0 不在 0.1 到 8,760 之间。"
        assert site_refusal_words(plain_message("nobody foresaw this")) == "nobody foresaw this"
        assert site_refusal_words(
            message("crawls.of_address", url="http://a.example", reason=Message("fetch.robots"))
        ) == ("http://a.example：robots.txt 不允许抓取这个地址")
