"""Near duplicates among works and pages, as they go through the steps, on real servers."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from matcher.clusters import cluster_of
from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, opened, store_work, work_through
from wenhen.cases.filters import Fold, fold_cases
from wenhen.cli.main import main
from wenhen.clusters.service import rebuild_clusters
from wenhen.kit.progress import Owner, OwnerKind, page_id
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.works.service import remove_work

RIVER, SNOW, FIELD = made_text("river"), made_text("snow"), made_text("field")


def url(name: str) -> str:
    return f"http://{name}.test/a"


def crawl(app: App, name: str, text: str, *, days: float = 0) -> None:
    """The page of this name shows this text, seen so many days from now."""
    later = replace(app, now=lambda: moment) if (moment := app.now() + timedelta(days=days)) else app
    capture(later, url(name), made_page("转载", text))
    work_through(app)


def edited(text: str, every: int = 40) -> str:
    """The text with a character in so many left out."""
    return "".join(char for place, char in enumerate(text) if place % every)


def cluster(app: App, name: str, kind: OwnerKind = OwnerKind.PAGE) -> str | None:
    owner = page_id(url(name)) if kind is OwnerKind.PAGE else name
    return cluster_of(app.store.clusters, Owner(kind, owner))


def in_cases(app: App) -> dict[str, str | None]:
    """The cluster that each case names, by host."""
    return {case.page_host: case.cluster_id for case in app.store.cases.each()}


def test_reprints_of_a_page_share_a_cluster_and_other_pages_have_none(app: App) -> None:
    crawl(app, "first", RIVER)
    assert cluster(app, "first") is None
    crawl(app, "second", edited(RIVER))
    crawl(app, "third", RIVER)
    crawl(app, "other", SNOW)
    crawl(app, "excerpt", RIVER[:200] + FIELD)
    assert cluster(app, "first") == cluster(app, "second") == cluster(app, "third") is not None
    assert cluster(app, "other") is None
    assert cluster(app, "excerpt") is None


def test_the_printed_mobile_and_amp_forms_of_a_page_are_one_row_of_the_queue(app: App) -> None:
    store_work(app, "river", RIVER)
    shown = "".join(f"<p>{line}</p>" for line in RIVER.split("\n"))
    forms = {
        "http://news.test/print.php?id=1": f"<p>打印版</p><h2>渡口</h2>{shown}<p>原文地址：http://news.test/1</p>",
        "http://m.news.test/1": f"<div>河口网</div><section>{shown}</section><div>打开App，查看更多精彩内容</div>",
        "http://news.test/amp/1": f"<article>{shown}</article><amp-ad>广告</amp-ad>",
    }
    capture(app, "http://news.test/1", made_page("渡口", RIVER))
    for address, body in forms.items():
        capture(app, address, f"<title>渡口</title><body>{body}".encode())
    work_through(app)
    keys = app.store.cases.keys(limit=10)
    [row] = fold_cases(keys, Fold.CLUSTER, {})
    assert len(row.numbers) == len(keys) == 1 + len(forms)
    assert set(row.hosts) == {"news.test", "m.news.test"}


def test_a_work_and_its_whole_copies_share_a_cluster_and_their_cases_name_it(app: App) -> None:
    store_work(app, "river", RIVER)
    store_work(app, "edition", edited(RIVER))
    work_through(app)
    together = cluster(app, "river", OwnerKind.WORK)
    assert together == cluster(app, "edition", OwnerKind.WORK) is not None
    crawl(app, "copy", RIVER)
    crawl(app, "passage", SNOW + RIVER[:300])
    assert in_cases(app) == {"copy.test": together, "passage.test": None}


def test_a_work_that_comes_after_its_copies_joins_their_cluster(app: App) -> None:
    for name in ("first", "second"):
        crawl(app, name, RIVER)
    before = cluster(app, "first")
    store_work(app, "river", RIVER)
    work_through(app)
    assert cluster(app, "river", OwnerKind.WORK) == before is not None
    assert in_cases(app) == {"first.test": before, "second.test": before}


def test_a_bridge_merges_clusters_and_the_cases_follow(app: App) -> None:
    """Pages with the one text, pages with the other; then one that is near both."""
    left, right = RIVER, RIVER[: len(RIVER) // 3] + FIELD[: 2 * len(FIELD) // 3]
    bridge = RIVER[: 2 * len(RIVER) // 3] + FIELD[len(FIELD) // 3 : 2 * len(FIELD) // 3]
    store_work(app, "river", RIVER)
    for number, text in enumerate((left, left, right, right)):
        crawl(app, f"p{number}", text)
    older, younger = cluster(app, "p0"), cluster(app, "p2")
    assert older != younger is not None
    assert in_cases(app)["p2.test"] == younger
    crawl(app, "bridge", bridge)
    assert {cluster(app, name) for name in ("p0", "p1", "p2", "p3", "bridge")} == {older}
    assert set(in_cases(app).values()) == {older}


def test_a_page_whose_text_changed_leaves_its_cluster_and_its_case_says_so(app: App) -> None:
    store_work(app, "river", RIVER)
    for name in ("first", "second"):
        crawl(app, name, RIVER)
    before = cluster(app, "first")
    crawl(app, "first", SNOW + RIVER[:300], days=1)
    assert cluster(app, "first") is None
    assert cluster(app, "second") == before
    assert in_cases(app) == {"first.test": None, "second.test": before}


def test_a_removed_work_leaves_its_cluster(app: App) -> None:
    for id in ("river", "edition"):
        store_work(app, id, edited(RIVER, every=40 if id == "river" else 50))
    work_through(app)
    remove_work(by(app), "river")
    work_through(app)
    assert cluster(app, "river", OwnerKind.WORK) is None
    assert cluster(app, "edition", OwnerKind.WORK) is not None


def test_only_texts_within_the_window_are_joined(servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path, cluster={"window_days": 7}) as app:
        for day in (0, 3, 20):
            crawl(app, f"day{day}", RIVER, days=day)
        assert cluster(app, "day0") == cluster(app, "day3") is not None
        assert cluster(app, "day20") is None
        crawl(app, "day14", RIVER, days=14)
        assert cluster(app, "day14") == cluster(app, "day20") != cluster(app, "day0")
        crawl(app, "day8", RIVER, days=8)
        assert len({cluster(app, f"day{day}") for day in (0, 3, 8, 14, 20)}) == 1, "day8 bridges the two"


def test_clusters_are_rebuilt_from_what_is_stored_the_same_as_before(app: App) -> None:
    store_work(app, "river", RIVER)
    store_work(app, "snow", SNOW)
    store_work(app, "snowy", edited(SNOW))
    work_through(app)
    for name, text in (("a", RIVER), ("b", edited(RIVER)), ("c", FIELD), ("d", FIELD), ("e", made_text("sea"))):
        crawl(app, name, text)
    found, told = app.store.clusters.find(), in_cases(app)
    assert sorted((one.works, one.pages) for one in found) == [(0, 2), (1, 2), (2, 0)]
    steps: list[tuple[int, int]] = []
    rebuild_clusters(app, lambda done, total: steps.append((done, total)))
    assert app.store.clusters.find() == found
    assert in_cases(app) == told
    assert steps[-1] == (8, 8)


def said(app: App, *arguments: str) -> Any:
    """What the command prints, on the servers of this product."""
    settings = app.settings
    environment = {
        "WENHEN_DATA": str(settings.data),
        "WENHEN_MONGO_URL": settings.mongo.url,
        "WENHEN_MONGO_DATABASE": settings.mongo.database,
        "WENHEN_REDIS_URL": settings.redis.url,
        "WENHEN_INDEX_URL": settings.index.url,
    }
    result = CliRunner().invoke(main, list(arguments), env=environment, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_lists_clusters_a_row_each_and_their_texts(app: App) -> None:
    store_work(app, "river", RIVER, title="河")
    for name in ("a", "b"):
        crawl(app, name, RIVER)
    said(app, "clusters", "rebuild")
    [row] = json.loads(said(app, "clusters", "--json"))
    assert (row["works"], row["pages"], row["first"], row["title"]) == (1, 2, "work:river", "河")
    members = json.loads(said(app, "clusters", "show", row["id"], "--json"))
    assert [(one["kind"], one["title"]) for one in members] == [("work", "河"), ("page", "转载"), ("page", "转载")]
    assert row["id"] in said(app, "clusters")
    assert page_id(url("b")) in said(app, "clusters", "show", row["id"])
