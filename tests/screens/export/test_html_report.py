"""A case as a page that stands alone: all of it is there, nothing of it runs, and nothing is fetched."""

from base64 import b64encode
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.model import PartKind, TextPlace
from tests.support.drawn import drawn
from tests.support.screens import MARKUP, Foreign
from tests.support.seed import MIDDLE, OPENING, Seeder
from wenhen.cases.passages import FramedPicture
from wenhen.context.use_cases import Acting
from wenhen.kit.errors import BadInput
from wenhen.reports.contents import gather_report as gather
from wenhen.reports.html import to_html
from wenhen.reports.model import Report

OUTWARD = {"href", "src", "srcset", "action", "style", "data", "background", "poster"}


@pytest.fixture
def report(seed: Seeder, acting: Acting) -> Report:
    """One case."""
    seed.work()
    seed.case()
    return gather(acting)


def test_both_texts_stand_in_pairs_with_what_was_changed_marked(report: Report) -> None:
    page = LexborHTMLParser(to_html(report))
    pairs = [[side.text() for side in pair.css("p")] for pair in page.css(".pair")]
    assert pairs == [[OPENING, OPENING], [MIDDLE, MIDDLE.replace("一点一点", "一点点")]]
    assert [one.text() for one in page.css(".pair del")] == ["一"]


def test_sources_times_with_their_zone_and_digests_are_told(report: Report) -> None:
    (case,) = report.cases
    text = LexborHTMLParser(to_html(report)).body.text()  # type: ignore[union-attr]  # a page has one
    assert "2026-03-05 22:30:00 UTC+8" in text
    for told in (case.page_url, case.page_text_sha256, case.work_text_sha256, case.capture.body_digest):
        assert told in text


def test_hostile_words_are_text_and_nothing_is_fetched(report: Report) -> None:
    wild = f"{MARKUP}\u202egnp.exe\x00\ud800</style></title>"
    quote = replace(report.cases[0].passages[0], page_text=wild)
    capture = replace(report.cases[0].capture, url="javascript:alert(1)", headers=(("Link", wild),))
    case = replace(
        report.cases[0], page_title=wild, work_title=wild, page_host=wild, passages=(quote,), capture=capture
    )
    content = to_html(replace(report, cases=(case,))).decode()
    assert Foreign(content).found == []
    page = LexborHTMLParser(content)
    assert page.css("a, link, script, img, iframe, form, base, svg") == []
    assert not OUTWARD & {name for one in page.css("*") for name in one.attributes}
    assert "\u202e" not in content
    assert "⟨U+202E⟩gnp.exe⟨U+0000⟩⟨U+D800⟩</style>" in page.css("h1")[0].text()
    assert len(page.css("style")) == 1


def test_a_passage_tells_its_place_in_a_file_and_shows_the_pictures_that_it_was_read_from(report: Report) -> None:
    place = TextPlace(PartKind.PICTURE, 2, 3)
    quote = replace(report.cases[0].passages[0], place=place, pictures=(FramedPicture(2, drawn("渡口")),))
    content = to_html(replace(report, cases=(replace(report.cases[0], passages=(quote,)),)))
    page = LexborHTMLParser(content)
    assert "第 2 张图第 3 行 picture 2, line 3" in page.css("section h3")[0].text()
    [shown] = page.css("img")
    assert shown.attributes["alt"] == "第 2 张图，第 1 段已框出 Picture 2, passage 1 framed"
    assert shown.attributes["src"] == f"data:image/png;base64,{b64encode(quote.pictures[0].png).decode()}"


def test_a_text_that_was_lost_is_told(report: Report) -> None:
    quote = replace(report.cases[0].passages[0], page_text=None)
    page = LexborHTMLParser(to_html(replace(report, cases=(replace(report.cases[0], passages=(quote,)),))))
    assert [side.text() for side in page.css(".pair p")] == [OPENING, "库中已无此文字 The store has lost this text"]


def test_it_is_a_file_of_one_case(client: FlaskClient, seed: Seeder, acting: Acting) -> None:
    seed.library()
    with pytest.raises(BadInput, match="one case"):
        to_html(gather(acting))
    answer = client.get("/cases/3/report.html")
    assert answer.mimetype == "text/html"
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    assert client.get("/reports/cases.html").status_code == 404
