"""Plug-ins of other distributions: what works is used, and what is broken is named and left out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner

from crawler.spiders.page_summary import summarize_page
from tests.support.sample_works import WORKS
from wenhen.cli.main import main
from wenhen.discovery.engines import open_engine
from wenhen.kit.errors import SetupError, WenhenError
from wenhen.kit.plugins import GROUPS, all_plugins, find_plugins
from wenhen.notices.platforms import default_platforms, find_platform
from wenhen.operations.health import plugin_state
from wenhen.reports.service import known_endings, render_report
from wenhen.settings.crawling_and_search import DiscoverSettings

MODULE = """
from fingerprinter.schemes.substrings import Checksum


class River(Checksum):
    name = "river"


class Engine:
    name = "river"

    def __init__(self, settings):
        self.delay = settings.delay


def platforms():
    return [{"id": "river", "name": "河岸", "hosts": ["river.test"], "law": "china", "required": ["姓名"]}]


def to_text(report):
    return str(report).encode()


def to_nothing(report):
    return report.nothing


def links(url, body, content_type):
    yield "/chapter/2"
    yield "javascript:void(0)"


def broken_links(url, body, content_type):
    raise RuntimeError("no links")


NUMBER = 7
WRONG = [{"id": "x", "name": "x", "hosts": [], "law": "no law", "required": []}]
"""
ENTRY_POINTS = """
[wenhen.schemes]
river = riverside_plugin:River
number = riverside_plugin:NUMBER

[wenhen.search_engines]
river = riverside_plugin:Engine

[wenhen.platforms]
river = riverside_plugin:platforms
wrong = riverside_plugin:WRONG

[wenhen.report_writers]
txt = riverside_plugin:to_text
nil = riverside_plugin:to_nothing
gone = riverside_missing:to_text

[wenhen.link_extractors]
river = riverside_plugin:links
broken = riverside_plugin:broken_links
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with plug-ins, as pip leaves it, and a second one with a name that the first has."""
    for name, version, points in (
        ("riverside", "1.2", ENTRY_POINTS),
        ("second", "0.1", "[wenhen.report_writers]\ntxt = riverside_plugin:to_text\n"),
    ):
        info = tmp_path / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(points)
    (tmp_path / "riverside_plugin.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    find_plugins.cache_clear()
    default_platforms.cache_clear()
    yield tmp_path
    find_plugins.cache_clear()
    default_platforms.cache_clear()


@pytest.mark.usefixtures("installed")
def test_a_broken_plug_in_is_named_with_its_distribution_and_error() -> None:
    problems = {
        (plugin.group, plugin.name): (plugin.distribution, str(plugin.problem), plugin.problem.text("zh"))
        for plugin in all_plugins()
        if plugin.problem and plugin.distribution.startswith(("riverside", "second"))
    }
    assert {distribution for distribution, _, _ in problems.values()} == {"riverside 1.2", "second 0.1"}
    assert "int is no" in problems["wenhen.schemes", "number"][1]
    assert "No module named 'riverside_missing'" in problems["wenhen.report_writers", "gone"][1]
    assert "无法加载" in problems["wenhen.report_writers", "gone"][2]
    assert "no law" in problems["wenhen.platforms", "wrong"][1]
    assert "riverside 1.2 has that name" in problems["wenhen.report_writers", "txt"][1]


@pytest.mark.usefixtures("installed")
def test_the_command_and_the_health_screen_list_them() -> None:
    listed = json.loads(CliRunner().invoke(main, ["plugins", "--json"]).output)
    assert {plugin["group"] for plugin in listed} == set(GROUPS)
    table = CliRunner().invoke(main, ["plugins"])
    assert table.exit_code == 0
    assert "riverside 1.2" in table.output
    state = plugin_state()
    assert not state.answers
    assert "river of riverside 1.2" in state.detail


@pytest.mark.usefixtures("installed")
def test_a_scheme_is_compared_with_the_others(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for number, text in enumerate(WORKS * 2):
        (texts / f"{number}.txt").write_text(text * (number + 1))
    run = CliRunner().invoke(main, ["compare", str(texts), "--schemes", "river", "--json"])
    assert run.exit_code == 0, run.output
    assert '"river"' in run.stdout
    assert "number of riverside 1.2" in run.stderr


@pytest.mark.usefixtures("installed")
def test_a_search_engine_is_opened_by_the_name_in_the_settings() -> None:
    engine: Any = open_engine(DiscoverSettings(engine="river", delay=3))
    assert (engine.name, engine.delay) == ("river", 3)


@pytest.mark.usefixtures("installed")
def test_an_unknown_search_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SetupError, match="searxng, brave, baidu, bocha, river") as refused:
        open_engine(DiscoverSettings(engine="lake"))
    assert "没有名为 lake 的搜索引擎" in refused.value.message.text("zh")


@pytest.mark.usefixtures("installed")
def test_a_platform_is_known_by_its_hosts() -> None:
    assert find_platform(cast("Any", None), "www.river.test", default_platforms()).name == "河岸"


@pytest.mark.usefixtures("installed")
def test_a_report_is_written_by_the_ending() -> None:
    nothing: Any = None
    assert ".txt" in known_endings()
    assert render_report("txt", cast("Any", "报告"), nothing, nothing) == "报告".encode()
    with pytest.raises(WenhenError, match=r"nil of riverside 1.2 failed \(AttributeError") as failed:
        render_report("nil", cast("Any", "报告"), nothing, nothing)
    assert "出错" in failed.value.message.text("zh")


@pytest.mark.usefixtures("installed")
def test_links_of_a_plug_in_come_after_those_of_the_page() -> None:
    summary = summarize_page("http://river.test/1", "<p><a href='/a'>甲</a></p>".encode(), "text/html; charset=utf-8")
    assert [url for url, _ in summary.links] == ["http://river.test/a", "http://river.test/chapter/2"]


def test_without_plug_ins_the_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wenhen.kit.plugins.entry_points", lambda group: [])
    find_plugins.cache_clear()
    try:
        run = CliRunner().invoke(main, ["plugins"])
    finally:
        find_plugins.cache_clear()
    assert (run.exit_code, run.stdout) == (0, "")
    assert "no plug-in is installed" in run.stderr
