"""The case screen names and marks all sources of a page, and shows what was left out with the reason."""

import re
from dataclasses import replace
from html import unescape

from flask.testing import FlaskClient

from matcher.model import Change, CommonPassage, CommonReason, Passage
from tests.support.seed import CLOSING, MIDDLE, OPENING, PASSAGES, WORK_TEXT, Seeder
from tests.support.way import capture, made_page, made_text, store_work, work_through
from wenhen.runtime.wiring import App

LAMP = "雾里的灯塔每隔七秒亮一次，守塔人数着它，像数自己的心跳。"
OWN = "以上两段都是本站编者从别处选来的。"
PAGE = "\n".join([OPENING, LAMP, OWN])


def passage(page_start: int, work_start: int, length: int, **values: object) -> Passage:
    """A passage copied as it stands."""
    return Passage(
        page_start=page_start,
        page_end=page_start + length,
        work_start=work_start,
        work_end=work_start + length,
        similarity=1.0,
        change=Change.VERBATIM,
        **values,  # type: ignore[arg-type]  # the test names fields of the passage
    )


def two_sources(seed: Seeder) -> None:
    """Cases 1 and 2: one page of two works."""
    seed.work()
    seed.work("lamp", LAMP + "余文。", title="七秒")
    seed.case(text=PAGE, passages=(passage(0, 0, len(OPENING)),), share=0.4)
    seed.case(work_id="lamp", text=PAGE, passages=(passage(len(OPENING) + 1, 0, len(LAMP)),), share=0.45)


def marks(page: str) -> list[tuple[str, str]]:
    """Look and words of each piece of the page's text."""
    found = re.search(r'data-pane="page">(.*?)</div>\s*</div>', page, re.DOTALL)
    assert found
    shown = re.sub(r"<a class=.ref.*?</a>", "", found[1])
    return [(look, unescape(text)) for look, text in re.findall(r'<(?:mark|span) class="([^"]*)"[^>]*>([^<]+)<', shown)]


def test_what_another_work_of_ours_explains_is_marked_as_its_own(client: FlaskClient, seed: Seeder) -> None:
    two_sources(seed)
    page = client.get("/cases/1").text
    assert marks(page) == [
        ("same", OPENING),
        ("ignored", "\n"),
        ("source source-1", LAMP),
        ("ignored", "\n" + OWN),
    ]
    legend = re.search(r"<fieldset>(.*?)</fieldset>", page, re.DOTALL)
    assert legend
    assert re.findall(r"<b>([\d.%]+)</b>", legend[1]) == ["40.0%", "45.0%"]
    assert re.findall(r'href="/works/one\?id=(\w+)"', legend[1]) == ["dock", "lamp"]
    assert 'data-letter="B"' in page
    assert marks(client.get("/cases/2").text)[0] == ("source source-1", OPENING)  # its own work comes first


def test_the_address_says_which_sources_are_marked(client: FlaskClient, seed: Seeder) -> None:
    two_sources(seed)
    assert [look for look, _ in marks(client.get("/cases/1?shown=1").text)] == ["same", "ignored", "off", "ignored"]
    only_other = client.get("/cases/1?shown=&shown=2").text
    assert [look for look, _ in marks(only_other)] == ["off", "ignored", "source source-1", "ignored"]
    assert len(re.findall(r'name="shown" value="\d+"[^>]* checked', only_other)) == 1
    assert [look for look, _ in marks(client.get("/cases/1?shown=").text)] == ["off", "ignored", "off", "ignored"]
    assert client.get("/cases/1?shown=%3Cb%3E&shown=999").status_code == 200


def test_works_that_hold_the_same_text_are_named_once_with_a_link(client: FlaskClient, seed: Seeder) -> None:
    for id, title in (("dock", "连载"), ("book", "选集"), ("third", "文丛")):
        seed.work(id, WORK_TEXT, title=title)
    seed.case(match={"also_in": ("book", "third")})
    seed.case(work_id="book", match={"also_in": ("dock",)})
    legend = re.search(r"<fieldset>(.*?)</fieldset>", client.get("/cases/1").text, re.DOTALL)
    assert legend
    assert len(re.findall("data-source-box", legend[1])) == 1
    assert re.findall(r"<bdi>(选集|文丛)</bdi>", legend[1]) == ["选集", "文丛"]


def test_a_gap_is_shown_as_not_copied_in_pane_and_ruler(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    whole = passage(0, 0, len(WORK_TEXT), page_gaps=((30, 50),), work_gaps=((30, 50),))
    seed.case(text=WORK_TEXT, passages=(whole,))
    page = client.get("/cases/1").text
    assert marks(page) == [("same", WORK_TEXT[:30]), ("gap", WORK_TEXT[30:50]), ("same", WORK_TEXT[50:])]
    band = re.search(r'class="band .*?</a>', page, re.DOTALL)
    assert band
    assert band[0].count("<rect") == 4
    assert f"{len(WORK_TEXT) - 20} 字" in page  # the list of passages counts as the shares do


def test_common_property_is_grey_on_both_sides_with_its_reason(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    common = CommonPassage(passage=passage(len(OPENING) + 1, len(OPENING) + 1, len(MIDDLE)), reason=CommonReason.SHARED)
    seed.case(text=WORK_TEXT, passages=(passage(0, 0, len(OPENING)),), match={"common": (common,)})
    page = client.get("/cases/1").text
    assert ("common first", MIDDLE) in marks(page)
    assert len(re.findall(rf'data-reason="也见于其他作品，不计">{MIDDLE}', page)) == 2
    assert ("ignored", "\n" + CLOSING) in marks(page)
    assert seed.store.cases.get("1").match.common == (common,)


def test_what_a_common_text_explains_is_grey_with_its_name(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    place = passage(len(OPENING) + 1, len(OPENING) + 1, len(MIDDLE))
    common = CommonPassage(passage=place, reason=CommonReason.TEXT, text_id="common:mengzi", title="《孟子》")
    case = seed.case(text=WORK_TEXT, passages=(passage(0, 0, len(OPENING)),), match={"common": (common,)})
    match = replace(case.match, reasons=(*case.match.reasons, "common_text:孟子"))
    seed.store.cases.open_or_update(replace(case, match=match))
    page = client.get("/cases/1").text
    assert ("common first", MIDDLE) in marks(page)
    assert len(re.findall(rf'data-reason="《孟子》，公共文本">{MIDDLE}', page)) == 2
    assert "其中一部分出自公共文本《孟子》，不计" in page
    assert f'data-reason="孟子, common text">{MIDDLE}' in client.get("/cases/1?lang=en").text


def test_what_the_page_shows_beside_the_matched_text_stays_visible_with_its_reason(
    client: FlaskClient, seed: Seeder
) -> None:
    seed.work()
    footer = '<footer><p>版权所有 河岸网 京ICP备00000000号</p></footer><nav><a href="/">' + "首页" * 100 + "</a></nav>"
    seed.case(beside=footer)
    page = client.get("/cases/1?lang=en").text
    assert re.search(r"<b>Page furniture</b> 版权所有 河岸网", page)
    assert re.search(r"<details class=\"unmatched\" data-unmatched><summary><b>Navigation</b> 200 characters", page)
    hidden = client.get("/cases/1?lang=en&shown=").text
    assert re.search(r"data-unmatched hidden><b>Page furniture", hidden)


def test_a_capture_that_the_store_lost_hides_nothing_else(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    case = seed.case()
    seed.store.cases.open_or_update(replace(case, capture=replace(case.capture, body_digest="0" * 64)))
    page = client.get("/cases/1").text
    assert len(set(re.findall(r'id="p(\d)"', page))) == len(PASSAGES)
    assert "data-unmatched-box" not in page


def test_what_the_chain_finds_is_shown_as_its_figures_count_it(client: FlaskClient, product: App) -> None:
    """Nine works close with the same words; a page has one of them whole, and a stretch of another one."""
    closing, other = made_text("closing", 90), made_text("other", 200)
    own = {n: made_text(f"own {n}", 200) for n in range(9)}
    for n, text in own.items():
        store_work(product, f"w{n}", f"{text}\n{closing}", title=f"第{n}部")
    store_work(product, "other", other, title="别集")
    text = "\n".join([own[0], other, closing])
    capture(product, "https://compiled.example/1.html", made_page("汇编", text))
    work_through(product)
    case = next(one for one in product.store.cases.each() if one.work_id == "w0")
    page = client.get(f"/cases/{case.number}").text
    words = {look: "".join(text for one, text in marks(page) if one == look) for look, _ in marks(page)}
    assert {one.reason for one in case.match.common} == {CommonReason.SHARED}
    assert closing[:80] in words["common first"]
    assert other[:80] in words["source source-1"]
    whole, same = ("".join(one.split()) for one in (product.store.blobs.get_text(case.page_text_digest), words["same"]))
    assert abs(len(same) / len(whole) - case.match.share_of_page) < 0.001
    assert "站内反复出现" not in page
