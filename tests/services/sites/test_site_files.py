"""Book sources of reading apps, taken in as sites of novels."""

import json

import pytest

from tests.support.acting import by
from wenhen.kit.errors import BadInput
from wenhen.runtime.wiring import App
from wenhen.sites.import_export import import_sites
from wenhen.sites.model import Layout

SOURCE = {
    "bookSourceUrl": "https://read.example#🎃",
    "bookSourceName": "夜读小站",
    "bookSourceGroup": "小说;常用",
    "bookSourceType": 0,
    "exploreUrl": "玄幻::/xuanhuan/{{page}}.html\n全本::https://read.example/full/<,{{page}}>\n榜单::{{java.get('u')}}",
    "ruleContent": {"content": "id.content@html"},
}


def test_a_source_is_watched_as_a_novel_from_its_lists_with_the_place_of_its_text(product: App) -> None:
    off = {"bookSourceUrl": "https://old.example/", "enabled": False, "ruleBookContent": "//div//text()"}
    done = import_sites(by(product), json.dumps([SOURCE, off]).encode("utf-8-sig"))
    [site, other] = done.added
    assert site.start_urls == (
        "https://read.example",
        "https://read.example/xuanhuan/1.html",
        "https://read.example/full/1",
    )
    assert (site.name, site.layout, site.kind, site.text_at) == ("夜读小站", Layout.NOVEL, "novel", "#content")
    assert (site.tags, site.paused) == (("书源", "小说", "常用"), False)
    assert (other.text_at, other.paused) == (None, True), "switched off by its author; no selector says an XPath"


def test_what_is_no_site_of_texts_is_refused_with_its_number_and_the_rest_is_taken(product: App) -> None:
    strange = [
        *("no object", {"bookSourceUrl": 5}, {"bookSourceUrl": "read.example"}, {"bookSourceUrl": "http://127.0.0.1/"}),
        {**SOURCE, "bookSourceType": 1},
        {**SOURCE, "exploreUrl": '[{"title": "x"}, 3]', "ruleContent": "x", "bookSourceGroup": None},
        SOURCE,
    ]
    done = import_sites(by(product), json.dumps(strange).encode())
    assert [site.start_urls for site in done.added] == [("https://read.example",)]
    assert [line for line, *_ in done.refused] == [1, 2, 3, 4, 5, 7], "the last is there already"


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b'{"a": NaN, }'])
def test_what_is_no_json_is_refused_in_a_sentence(product: App, content: bytes) -> None:
    with pytest.raises(BadInput, match="no file of book sources"):
        import_sites(by(product), content)


def test_a_table_is_still_a_table(product: App) -> None:
    assert [site.id for site in import_sites(by(product), b"urls\nhttp://a.example/\n").added] == ["a.example"]
