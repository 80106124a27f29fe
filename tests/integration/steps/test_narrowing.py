"""Pages compared only with works of a like size or kind, where the settings say so; on real servers."""

from pathlib import Path

import pytest

from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.sites.service import add_site

RIVER, SNOW = made_text("river"), made_text("snow", 3000)


def found(app: App) -> set[tuple[str, str]]:
    """The cases after a page of a news site copies a piece of news whole, and a passage of a novel."""
    add_site(by(app), {"urls": "http://site.test/", "kind": "news"}, id="site")
    store_work(app, "news", RIVER, kind="news")
    store_work(app, "novel", SNOW, kind="novel")
    capture(app, "http://site.test/a", made_page("转载", RIVER + SNOW[:300]))
    work_through(app)
    return {(page.rsplit("/", 1)[1], work) for page, work in pairs(app)}


@pytest.mark.parametrize(
    ("settings", "works"),
    [
        ({}, {"news", "novel"}),
        ({"same_kind": True}, {"news"}),
        ({"size_within": 2}, {"news"}),
        ({"size_within": 9, "same_kind": False}, {"news", "novel"}),
    ],
)
def test_a_page_is_compared_with_works_of_the_size_and_kind_that_the_settings_allow(
    servers: ServerAddresses, tmp_path: Path, settings: dict[str, object], works: set[str]
) -> None:
    with opened(servers, tmp_path, matcher=settings) as app:
        assert found(app) == {("a", work) for work in works}


def test_a_work_without_a_kind_and_a_page_of_no_site_are_compared_all_the_same(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path, matcher={"same_kind": True}) as app:
        store_work(app, "plain", RIVER)
        store_work(app, "novel", SNOW, kind="novel")
        add_site(by(app), {"urls": "http://site.test/", "kind": "news"}, id="site")
        capture(app, "http://site.test/a", made_page("转载", RIVER))
        app.store.sites.remove("site")
        capture(app, "http://site.test/b", made_page("转载", SNOW))
        work_through(app)
        assert {(page.rsplit("/", 1)[1], work) for page, work in pairs(app)} == {("a", "plain"), ("b", "novel")}
