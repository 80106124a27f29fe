"""One field on every screen finds titles, addresses, hosts, comments and cases, and phrases in the texts."""

from dataclasses import replace
from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from tests.support.screens import MARKUP, MakeCaller
from tests.support.seed import OPENING, PAGE_TEXT, Seeder
from wenhen.cases.comments_and_amounts import add_comment
from wenhen.context.use_cases import Acting
from wenhen.kit.progress import Step
from wenhen.pages.model import PageText
from wenhen.runtime.wiring import App
from wenhen.search.service import search_everything, update_phrase_index


@pytest.fixture
def library(seed: Seeder, product: App) -> Seeder:
    """A library with its cases, all texts of works and one of a page in the index over phrases."""
    seed.library()
    page_text(seed, seed.store.cases.get("1").page_id, PAGE_TEXT)
    caught_up(product)
    return seed


def page_text(seed: Seeder, id: str, text: str) -> None:
    """Give a page this text, as the extraction would."""
    seed.store.pages.restart(id, Step.EXTRACT)
    claim = seed.store.pages.claim(id, Step.EXTRACT, timedelta(minutes=1))
    assert claim
    read = PageText(
        text_digest=seed.store.blobs.put_text(text),
        length=len(text),
        title="老船匠的故事",
        author=None,
        published_at=None,
        charset="gb18030",
        note=None,
    )
    seed.store.pages.set_texts([(claim, read)], Step.FINGERPRINT, None)


def caught_up(product: App) -> int:
    """Put what changed into the index, as long afterwards as nobody writes any more."""
    return update_phrase_index(replace(product, now=lambda: product.now() + timedelta(minutes=1)), 1_000)


@pytest.mark.usefixtures("library")
def test_a_phrase_is_found_in_works_and_pages_and_marked(client: FlaskClient) -> None:
    page = client.get("/search/?q=一点一点填").text
    assert '<mark class="hit">一点一点填</mark>' in page
    assert ">修船的老人<" in page
    page = client.get("/search/?q=把木凳搬到门外").text
    assert page.count('<mark class="hit">把木凳搬到门外</mark>') == 2
    assert "copies.example" in page


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("phrase", ["把木凳搬到門外", "吧木凳般到门外"])
def test_other_characters_of_the_same_sound_are_found_and_marked_as_such(product: App, phrase: str) -> None:
    hits = search_everything(product, phrase).texts.hits
    assert {hit.owner.kind.value for hit in hits} == {"work", "page"}
    assert {(hit.found, hit.exact) for hit in hits} == {("把木凳搬到门外", False)}


def test_a_text_that_changed_is_found_by_what_it_says_now(product: App, library: Seeder) -> None:
    assert caught_up(product) == 0
    mark = product.phrases.mark("after:page")
    page_text(library, library.store.cases.get("1").page_id, "渡口的风把旗子吹得很响，没有人来。")
    library.store.works.remove("dock")
    assert update_phrase_index(product, 1_000) == 1
    assert product.phrases.mark("after:page") == mark, "a slower write may still come before it"
    assert search_everything(product, OPENING).texts.hits == ()
    assert [hit.owner.kind for hit in search_everything(product, "旗子吹得很响").texts.hits] == ["page"]


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("七秒", '<mark class="hit">七秒</mark>'),
        ("抄书", '<mark class="hit">抄书</mark>网'),
        ("copies.example", "抄书网"),
        ("#3", 'href="/cases/3"'),
        ("copies.example/a/1.html", "老船匠的故事"),
        ("逐句对照", '<mark class="hit">逐句对照</mark>'),
        ("老船匠", '<mark class="hit">老船匠</mark>的故事'),
    ],
)
def test_titles_addresses_hosts_numbers_and_comments_are_found(
    client: FlaskClient, acting: Acting, query: str, told: str
) -> None:
    add_comment(acting, 1, "与原文逐句对照过")
    assert told in client.get("/search/", query_string={"q": query}).text


def test_what_is_too_short_or_not_there_yet_is_told(client: FlaskClient, seed: Seeder, product: App) -> None:
    seed.library()
    assert "索引还没有建好" in client.get("/search/?q=灯塔每隔七秒").text
    caught_up(product)
    assert "这里只有 2 字" in client.get("/search/?q=灯塔").text
    assert "什么也没有找到" in client.get("/search/", query_string={"q": MARKUP}).text
    assert 'action="/search/"' in client.get("/health/").text


@pytest.mark.usefixtures("library")
def test_programs_search_too(caller: MakeCaller) -> None:
    call = caller()
    found = call("GET", "/search?q=一点一点填").get_json()
    assert [(hit["kind"], hit["id"], hit["exact"]) for hit in found["texts"]] == [("work", "dock", True)]
    assert call("GET", "/search?q=七秒").get_json()["works"] == [{"id": "lamp", "title": "七秒"}]
    assert call("GET", "/search").status_code == 422
