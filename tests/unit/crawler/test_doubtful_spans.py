"""Spans between words of which nobody can tell whether a reader sees them: the page is read with them and without."""

from typing import Final

import pytest

from crawler.extraction.page import extract_html

SENTENCE: Final = "磨坊在两条溪水合拢的地方，水轮转得慢，磨出来的面却最细，村里的人都来磨麦子。"


def read(html: str) -> tuple[str, str | None]:
    """The text of a page, and that without doubtful spans."""
    page = extract_html(f"<meta charset=utf-8><body><p>{html}</p></body>".encode(), [], "http://a.test/1")
    return page.text, page.without_doubtful


def spread(text: str, span: str, every: int = 3) -> str:
    """A text with a span behind every so many characters that are followed by another."""
    return "".join(
        character + (span if number % every == every - 1 and text[number + 1 : number + 2].isalpha() else "")
        for number, character in enumerate(text)
    )


@pytest.mark.parametrize(
    "span",
    [
        "<span class=k7>草</span>",
        "<i id=z>铁</i>",
        "<b class='a b'>雪盐</b>",
        "<span style='opacity:var(--unknown)'>灰</span>",
        "<em style='position:relative;z-index:-1'>桥</em>",
        "<span class=k7 id=z style='top:0'>草</span>",
    ],
)
def test_a_page_with_many_such_spans_is_read_in_both_ways(span: str) -> None:
    shown, without = read(spread(SENTENCE * 2, span))
    assert without == SENTENCE * 2
    assert len(shown) > len(SENTENCE * 2)


@pytest.mark.parametrize(
    "html",
    [
        SENTENCE * 4,
        SENTENCE * 3 + spread(SENTENCE, "<span class=k7>草</span>"),
        spread(SENTENCE * 2, "<a href='/1' class=k7>草</a>"),
        spread(SENTENCE * 2, "<span class=k7>水轮转得慢</span>"),
        spread(SENTENCE * 2, "<span style='display:none'>草</span>"),
    ],
    ids=["none", "few", "links", "words", "hidden"],
)
def test_other_pages_are_read_once(html: str) -> None:
    _, without = read(html)
    assert without is None
