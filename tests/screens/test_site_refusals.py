"""Whatever is refused of a site is told in the reader's language: every error is raised, and its words are found."""

import re
from collections.abc import Callable, Mapping

import pytest

from crawler.fetch.cookie_text import read_cookies
from crawler.fetch.proxies import parse_proxy
from dashboard.frame.language import catalogue
from dashboard.sites.site_refusals import _KINDS, told
from services.sites.access import begin_session, override_robots, set_proxies
from services.sites.sites import add, edit, import_csv
from store.errors import BadInput, Conflict
from tests.screens.conftest import MakeApp
from tests.support.seed import Seeder
from wenhen.wiring import App

FAR = {"urls": "http://far.example/"}
Act = Callable[[App], object]


def setting(name: str, text: str) -> Act:
    return lambda app: edit(app, "copies", {name: text})


def csv(text: str) -> Act:
    def take(app: App) -> None:
        for _, reason in import_csv(app, text.encode("latin-1"), internal=False).refused:
            raise BadInput(reason)

    return take


WRONG: Mapping[str, Act] = {
    "address": setting("urls", "ftp://a.example"),
    "no_address": setting("urls", " "),
    "host": setting("hosts", "http://a.example"),
    "one_host": setting("mirrors", "*.a.example"),
    "choice": setting("layout", "blog"),
    "longest": setting("name", "长" * 201),
    "truth": setting("paused", "perhaps"),
    "whole": setting("max_pages", "1.5"),
    "number": setting("every", "often"),
    "bounds": setting("every", "0"),
    "cron": setting("cron", "daily"),
    "quiet": setting("quiet", "night"),
    "whole_day": setting("quiet", "08:00-08:00"),
    "pattern": setting("include", "re:("),
    "headers": setting("headers", "chrome"),
    "there": lambda app: [add(app, FAR) for _ in range(2)],
    "id": lambda app: add(app, FAR, id="a/b"),
    "column": csv("urls,colour\n"),
    "no_column": csv("name\n"),
    "charset": csv("urls\n\xff"),
    "fields": csv("urls\nhttp://a.example/,b\n"),
    "internal": csv("urls,internal\nhttp://a.example/,yes\n"),
    "other_cookies": lambda app: begin_session(app, "copies", ".a.example\tTRUE\t/\tFALSE\t0\tsid\t1\n", by="x"),
    "cookies": lambda _: read_cookies("nothing", "a.example"),
    "cookie_lines": lambda _: read_cookies("a\tb\n", "a.example"),
    "cookie_file": lambda _: read_cookies("# no magic\n.a.example\tTRUE\t/\tFALSE\t0\tsid\t1\n", "a.example"),
    "no_cookie": lambda _: read_cookies("\t\n", "a.example"),
    "proxy": lambda _: parse_proxy("socks5://a:1"),
    "unknown_proxy": lambda app: set_proxies(app, "copies", ["http://me:***@a.example:1"], by="x"),
    "reason": lambda app: override_robots(app, "copies", reason=" ", by="x"),
}


def test_every_kind_is_tried() -> None:
    assert set(WRONG) == set(_KINDS) == {key.split(".")[1] for key in catalogue().entries if key.startswith("site_ref")}


@pytest.mark.parametrize("kind", WRONG)
def test_a_refusal_is_told_in_both_languages(kind: str, product: App, seed: Seeder, make_app: MakeApp) -> None:
    seed.library()
    with pytest.raises((BadInput, Conflict)) as refused:
        WRONG[kind](product)
    for language, words in catalogue().entries[f"site_refusal.{kind}"].items():
        with make_app().test_request_context(f"/?lang={language}"):
            said = told(refused.value)
        assert re.search(re.sub(r"\\{\w+\\}", ".*", re.escape(words)) + "$", said), said


def test_the_setting_is_named_as_the_form_names_it_and_an_unknown_error_stays_as_it_is(
    make_app: MakeApp,
) -> None:
    with make_app().test_request_context("/"):
        assert told(BadInput("every: 0 is not from 0.1 to 8760")) == "间隔（小时） — 0 不在 0.1 到 8760 之间。"
        assert told("nobody foresaw this") == "nobody foresaw this"
        assert told("http://a.example: robots.txt forbids this address") == (
            "http://a.example：robots.txt 不允许抓取这个地址"
        )
