"""What of a page's text is matched: chapters joined over their pages, the host's template left out."""

import dataclasses
import random
from datetime import timedelta
from hashlib import sha256

import pytest

from crawler.capture import PageAsset, pack_assets
from crawler.extraction.boilerplate.host_templates import MIN_TEMPLATE_PAGES
from crawler.ports import Arrival
from tests.support.samples import capture as sample
from tests.support.way import capture, do_step, made_page, made_text, pairs, store_work, work_through
from wenhen.crawls.sink import StoringSink
from wenhen.kit.clock import china_day
from wenhen.kit.progress import OwnerKind, Step, page_id
from wenhen.matching.rematch import apply_new_templates
from wenhen.pages.service import WAITING_FOR_PART
from wenhen.pipeline.tasks import run_batch
from wenhen.runtime.wiring import App
from wenhen.steps.runner import REMATCH_PAUSE

STORY = made_text("story", 1500)
PATH = made_text("menu path", 45).replace("\n", "")
FIRST, SECOND, THIRD = "http://novel.test/7/12.html", "http://novel.test/7/12_2.html", "http://novel.test/7/12_3.html"


def chapter_pages() -> dict[str, bytes]:
    """The story as one chapter over three pages, with the marks that such sites put in."""
    lines = STORY.split("\n")
    thirds = ["\n".join(lines[at : at + len(lines) // 3]) for at in range(0, len(lines) - 2, len(lines) // 3)]
    links = {
        FIRST: "<a href='11.html'>上一章</a> <a href='12_2.html'>下一页</a>",
        SECOND: "<a href='12.html'>上一页</a> <a href='12_3.html'>下一页</a>",
        THIRD: "<a href='12_2.html'>上一页</a> <a href='13.html'>下一章</a>",
    }
    return {
        url: made_page("第十二章 渡口", f"{text}\n（本章未完，请点击下一页继续阅读）")
        .decode()
        .replace("</article>", f"</article><div>{links[url]}</div>")
        .encode()
        for (url, text) in zip(links, thirds[:3], strict=True)
    }


@pytest.mark.parametrize("seed", range(3))
def test_a_chapter_over_three_pages_in_any_order_is_one_text_and_one_case(app: App, seed: int) -> None:
    store_work(app, "story", STORY)
    pages = list(chapter_pages().items())
    random.Random(seed).shuffle(pages)
    for url, body in pages:
        capture(app, url, body)
        work_through(app)
    assert pairs(app, present=True) == {(FIRST, "story")}
    case = next(case for case in app.store.cases.find(present=True))
    assert case.match.share_of_work > 0.95
    page = app.store.pages.get(page_id(FIRST))
    assert page.text_digest
    text = app.store.blobs.get_text(page.text_digest)
    assert "本章未完" not in text
    assert [app.store.pages.get(page_id(url)).note for url in (SECOND, THIRD)] == ["part", "part"]
    assert b"\xe6\x9c\xac\xe7\xab\xa0\xe6\x9c\xaa\xe5\xae\x8c" in app.store.blobs.get(page.capture.body_digest)


def test_a_page_that_is_stored_but_not_read_yet_is_waited_for(app: App) -> None:
    store_work(app, "story", STORY)
    for url, body in reversed(chapter_pages().items()):
        capture(app, url, body)
    do_step(app, OwnerKind.PAGE, page_id(SECOND), Step.EXTRACT)
    assert app.store.pages.get(page_id(SECOND)).progress.problem == WAITING_FOR_PART
    work_through(app)
    assert pairs(app) == {(FIRST, "story")}


def test_a_page_of_a_chapter_that_changes_changes_the_joined_text(app: App) -> None:
    for url, body in chapter_pages().items():
        capture(app, url, body)
    work_through(app)
    before = app.store.pages.get(page_id(FIRST))
    capture(app, SECOND, chapter_pages()[SECOND].replace(b"<article>", f"<article><p>{PATH}</p>".encode()))
    work_through(app)
    after = app.store.pages.get(page_id(FIRST))
    assert after.version == before.version + 1
    assert after.text_digest
    assert PATH in app.store.blobs.get_text(after.text_digest)


def help_page(number: int) -> bytes:
    own = made_text(f"help {number}", 160)
    return made_page(f"帮助 {number}", f"{own}\n{PATH}")


def test_leads_that_rest_on_what_a_host_repeats_are_gone_once_its_template_is_known(app: App) -> None:
    store_work(app, "manual", f"{made_text('before', 200)}\n{PATH}\n{made_text('after', 200)}")
    for number in range(MIN_TEMPLATE_PAGES + 3):
        capture(app, f"http://help.test/{number}", help_page(number))
        work_through(app)
    early = pairs(app, present=True)
    assert early, "the first pages cannot be told from copies"
    assert {f"http://help.test/{number}" for number in (MIN_TEMPLATE_PAGES, MIN_TEMPLATE_PAGES + 1)}.isdisjoint(
        url for url, _ in early
    )
    assert apply_new_templates(app) == 0, "the template still changes"
    later = dataclasses.replace(app, now=lambda: app.now() + REMATCH_PAUSE + timedelta(seconds=1))
    store_work(app, "story", STORY)
    own = capture(app, "http://help.test/story", made_page("故事", STORY))
    work_through(app)
    assert apply_new_templates(later) == len(early), "not the page that says nothing of the template"
    assert app.store.pages.get(own).progress.step is Step.DONE
    work_through(later)
    assert pairs(app, present=True) == {("http://help.test/story", "story")}
    assert apply_new_templates(later) == 0


def test_a_work_that_is_copied_whole_to_many_addresses_of_one_host_is_found_on_each(app: App) -> None:
    store_work(app, "story", STORY)
    urls = [f"http://mirror.test/{number}" for number in range(MIN_TEMPLATE_PAGES + 3)]
    for number, url in enumerate(urls):
        capture(app, url, made_page(f"第{number}个镜像，与其他的没有两样", STORY))
        work_through(app)
    for number in range(MIN_TEMPLATE_PAGES + 3):
        capture(app, f"http://mirror.test/other/{number}", help_page(number))
    work_through(app)
    assert {url for url, work in pairs(app) if work == "story"} == set(urls)


def test_words_that_a_sheet_of_the_site_hides_between_others_are_no_part_of_the_text(app: App) -> None:
    store_work(app, "story", STORY)
    body = made_page("渡口", STORY).replace("，".encode(), "<i class=q>本站首发请勿转载</i>，".encode())
    archive = pack_assets([PageAsset("http://novel.test/read.css", b".read i.z, i.q { font-size: 0 }", is_style=True)])
    taken = sample(fetched_at=app.now(), url=FIRST, body_digest=sha256(body).hexdigest(), body_size=len(body))
    taken = dataclasses.replace(taken, assets_digest=sha256(archive).hexdigest())
    StoringSink(app, "by hand", "site").store_captures([Arrival(FIRST, taken, body, assets=archive)])
    work_through(app)
    [case] = app.store.cases.each()
    assert "本站首发" not in app.store.blobs.get_text(case.page_text_digest)
    assert case.match.share_of_work == 1


def test_each_page_of_a_batch_is_read_with_its_own_sheets_and_without_lost_ones(app: App) -> None:
    sheets = [b".q { font-size: 0 }", b".z { font-size: 0 }"] * 2 + [b".q { color: red }"]
    said = {}
    for number, sheet in enumerate(sheets):
        url = f"http://novel{number}.test/1"
        body = made_page("渡口", STORY).replace("，".encode(), f"<i class=q>请勿转载{number}</i>，".encode())
        archive = pack_assets([PageAsset("http://novel.test/read.css", sheet, is_style=True)])
        taken = sample(fetched_at=app.now(), url=url, body_digest=sha256(body).hexdigest(), body_size=len(body))
        taken = dataclasses.replace(taken, assets_digest=sha256(archive).hexdigest())
        StoringSink(app, "by hand", "site").store_captures([Arrival(url, taken, body, assets=archive)])
        said[page_id(url)] = number
    lost = sha256(archive).hexdigest()
    app.store.blobs.chunks.delete({"files_id": lost})
    app.store.blobs.files.delete({"_id": lost})
    run_batch(app, OwnerKind.PAGE, list(said), Step.EXTRACT)
    texts = {
        said[id]: app.store.blobs.get_text(page.text_digest or "") for id, page in app.store.pages.many(said).items()
    }
    assert [f"请勿转载{number}" in texts[number] for number in range(5)] == [False, True, False, True, True]


def test_pages_read_again_in_a_batch_lose_the_template_of_their_hosts(app: App) -> None:
    urls = [f"http://{host}.test/{number}" for host in ("help", "manual") for number in range(MIN_TEMPLATE_PAGES + 1)]
    pages = {capture(app, url, help_page(number)): help_page(number) for number, url in enumerate(urls)}
    late = capture(app, "http://alone.test/", help_page(99))
    run_batch(app, OwnerKind.PAGE, [*pages, late], Step.EXTRACT)
    for id in pages:
        app.store.pages.restart(id, Step.EXTRACT)
    app.store.pages.restart(late, Step.EXTRACT)
    run_batch(app, OwnerKind.PAGE, [*pages, late], Step.EXTRACT)
    found = app.store.pages.many([*pages, late])
    texts = {id: app.store.blobs.get_text(page.text_digest or "") for id, page in found.items()}
    assert {id for id, text in texts.items() if PATH in text} == {late}, "the other host has one page"


def test_new_and_changed_texts_are_counted_with_their_language_and_script(app: App) -> None:
    day = china_day(app.now())
    url = "http://news.test/1"
    id = capture(app, url, made_page("题", STORY))
    work_through(app)
    page = app.store.pages.get(id)
    assert (page.language, page.script) == ("zh", "simplified")
    capture(app, url, made_page("题", STORY + PATH))
    work_through(app)
    capture(app, "http://news.test/2", b"<html lang=en><p>" + b"a town on the river " * 40)
    work_through(app)
    told = app.store.text_tallies.figures(day, day)
    assert (told.new, told.changed, sum(told.languages.values())) == (2, 1, 3)
    assert (told.languages["zh"], told.scripts["simplified"], told.languages["en"]) == (2, 2, 1)
    assert [one.site for one in told.sites] == ["site"]
