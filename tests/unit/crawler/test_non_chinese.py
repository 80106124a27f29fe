"""On pages in other languages, named boxes are no text, and of a doubtful text only what trafilatura takes too."""

import re
import subprocess
import sys
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.boilerplate import non_chinese
from crawler.extraction.dropped_text import find_dropped_text
from crawler.extraction.page import extract_html
from crawler.extraction.page_lines import extract_blocks

ENGLISH = [
    "The night train left the harbour an hour late, because the last barrel of apples would not fit through the door.",
    "Nobody complained, for the guard had opened the stove, and the smell of baked fruit went through every carriage.",
    "At the second bridge the driver stopped, climbed down with a lamp, and counted the planks as his father had done.",
    "When the sun came up they stood in the valley, and the station master sold tickets for the way they had come.",
]
JAPANESE = [
    "夜行列車は一時間おくれて港を出た。最後のりんごの樽が、どうしても戸口を通らなかったからである。",
    "だれも文句を言わなかった。車掌がストーブを開けたので、焼けた果物の匂いが車両じゅうに広がったのだ。",
    "二つ目の橋で機関士は列車を止め、ランプを持って下り、父がしていたように橋板を一枚ずつ数えた。",
    "日が昇るころ、列車は谷に立っていた。駅長は、みんなが来た道を帰るための切符を売っていた。",
]
NEAR_NAMES = ("metaphor", "barley", "adrift", "navy")  # beside meta, bar, ad and nav
CHINESE = "夜车晚了一个钟头才离开港口，因为最后一桶苹果怎么也塞不进车门，车上的人却没有一个抱怨。"


LETTERS = st.sampled_from("渡口㐀鿿豈﫿あんァヿ가é。、 .a1\U00020000\ud800") | st.characters()


@given(st.lists(st.tuples(st.text(LETTERS, max_size=12), st.integers(1, 30)), max_size=6))
def test_counting_bytes_tells_a_chinese_text_as_counting_all_characters_and_words_does(
    parts: list[tuple[str, int]],
) -> None:
    text = "".join(part * times for part, times in parts)
    assert non_chinese.is_chinese(text) == is_chinese_by_characters(text)


def is_chinese_by_characters(text: str) -> bool:
    """The rule as it is meant: the shares of Han characters and kana among the text's words."""
    han = sum("\u3400" <= sign <= "\u9fff" or "\uf900" <= sign <= "\ufaff" for sign in text)
    kana = sum("\u3040" <= sign <= "\u30ff" for sign in text)
    if kana and kana >= non_chinese.MIN_KANA_SHARE * (han + kana):
        return False
    words = re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_]+", text)
    return han >= non_chinese.MAX_CHINESE_SHARE * min(len(text), len(words))


def read(body: str, title: str = "Train") -> list[str]:
    return extract_html(page(body, title), (), "").text.split("\n")


def page(body: str, title: str = "Train") -> bytes:
    return f"<html><head><meta charset=utf-8><title>{escape(title)}</title></head><body>{body}</body></html>".encode()


def paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def scattered(lines: list[str]) -> str:
    """Put each line into a box of its own, so that it is in doubt which of them are the text."""
    return "".join(f"<section><div><p>{line}</p></div></section>" for line in lines)


@pytest.mark.parametrize("lines", [ENGLISH, JAPANESE], ids=["English", "Japanese"])
def test_a_text_keeps_its_heading_and_its_paragraphs(lines: list[str]) -> None:
    menu = "<ul class=nav><li><a href=/a>Zzz</a><li><a href=/b>Yyy</a></ul>"
    assert read(f"{menu}<article><h1>Train</h1>{paragraphs(lines)}</article>") == ["Train", *lines]


def test_a_line_that_the_library_leaves_out_is_told_as_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(non_chinese, "_read_with_trafilatura", lambda html: "\n".join(ENGLISH[:3]))
    body = page(scattered(ENGLISH))
    text = extract_html(body, (), "").text
    assert text.split("\n") == ENGLISH[:3]
    assert [dropped.text for dropped in find_dropped_text(body, (), "", text)] == ENGLISH[3:]


@pytest.mark.parametrize("other", ["", ENGLISH[0][:40]])
def test_our_reading_stands_where_the_library_lost_most_of_the_text(
    other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(non_chinese, "_read_with_trafilatura", lambda html: other)
    assert read(scattered(ENGLISH)) == ENGLISH


@pytest.mark.parametrize("error", [ValueError, RecursionError, MemoryError])
def test_our_reading_stands_where_the_library_fails(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> str:
        raise error

    monkeypatch.setattr("trafilatura.extract", fail)
    assert read(scattered(ENGLISH)) == ENGLISH


def test_hidden_words_never_come_back() -> None:
    decoy = "<span style='display:none'>marmalade</span>"
    lines = [line.replace(" ", f" {decoy}", 3) for line in ENGLISH]
    hidden = f"<p style='font-size:0'>{CHINESE}</p>"
    assert read(f"<article>{paragraphs(lines)}{hidden}</article>") == ENGLISH


@pytest.mark.parametrize("filling", ["<tr><td></td></tr>" * 20_000, "<!-- {} -->".format("x" * 1_000_000)])
def test_an_endless_page_is_read_by_ourselves_alone(filling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(non_chinese, "_read_with_trafilatura", lambda html: pytest.fail("read"))
    assert read(f"{scattered(ENGLISH)}<table>{filling}</table>") == ENGLISH


def test_the_library_is_not_asked_about_a_text_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(non_chinese, "_read_with_trafilatura", lambda html: pytest.fail("read"))
    rows = "<ul><li>Two barrels of red apples</li><li>One stove of black iron</li></ul>"
    quoted = f"<blockquote><p>{ENGLISH[3]}</p></blockquote>"
    body = f"<div><h1>Train</h1>{paragraphs(ENGLISH[:3])}<h2>What was in it</h2>{rows}{quoted}</div>"
    assert read(body)[0] == "Train"
    assert len(read(body)) == 8


def test_the_library_is_asked_where_our_text_is_little_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def read_nothing(html: str) -> str:
        asked.append(html)
        return ""

    monkeypatch.setattr(non_chinese, "_read_with_trafilatura", read_nothing)
    shown = [ENGLISH[0]]
    lines = [f"<p>{line}</p>" for line in ENGLISH for _ in range(3)]
    blocks = extract_blocks(LexborHTMLParser(f"<div>{''.join(lines)}</div>"))
    assert non_chinese.choose_lines(shown, blocks, "").lines == shown
    assert len(asked) == 1


@pytest.mark.parametrize(
    "box",
    [
        "<div class='post-share'>{}</div>",
        "<div id='newsletter-signup'><p>{}</p></div>",
        "<div class=article-byline><div><span>{}</span></div></div>",
        "<figure>{}</figure>",
        "<ul class=most-popular><li>{}</ul>",
        "<p class=photo-credit>{}</p>",
        "<p><a href=/more>{}</a>",
    ],
)
def test_a_box_is_no_text_by_its_name_or_its_links(box: str) -> None:
    furniture = "Have a look at the other trains of this valley."
    body = f"<article>{paragraphs(ENGLISH[:2])}{box.format(furniture)}{paragraphs(ENGLISH[2:])}</article>"
    assert read(body) == ENGLISH


@pytest.mark.parametrize(
    "frame",
    [
        "<div class='content with-sidebar'>{}</div>",
        "<main class=widget-page>{}</main>",
        "<div class=slideshow><div class=slide>{}</div></div>",
        "<form id=aspnetForm>{}</form>",
    ],
)
def test_a_box_around_most_of_the_text_is_the_text(frame: str) -> None:
    assert read(frame.format(paragraphs(ENGLISH))) == ENGLISH


def test_words_that_only_begin_like_the_name_of_a_box_keep_their_text() -> None:
    boxes = "".join(f"<div class='{name}'><p>{line}</p></div>" for name, line in zip(NEAR_NAMES, ENGLISH, strict=True))
    assert read(f"<div>{boxes}</div>") == ENGLISH


def test_an_index_of_links_in_the_text_stays() -> None:
    index = "<ul>" + "".join(f"<li><a href=/{n}>The station of the year {n}</a>" for n in range(1901, 1905)) + "</ul>"
    lines = read(f"<div>{paragraphs(ENGLISH)}{index}<p>{ENGLISH[0]} Again.</p></div>")
    assert set(ENGLISH) <= set(lines)


@pytest.mark.parametrize(
    ("body", "judged"),
    [
        (scattered(ENGLISH), True),
        (scattered(JAPANESE), True),
        (paragraphs(ENGLISH), False),
        (scattered([CHINESE] * 9), False),
        ("<meta name=generator content=Sphinx>" + scattered(ENGLISH), False),
    ],
)
def test_a_page_tells_whether_the_library_took_part(body: str, judged: bool) -> None:
    assert extract_html(f"<meta charset=utf-8>{body}".encode(), (), "").judged is judged


def test_chinese_pages_do_not_load_the_library() -> None:
    code = (
        "import sys; from crawler.extraction.page import extract_html\n"
        f"body = '<p>{CHINESE}</p>' * 9\n"
        "assert extract_html(body.encode(), (), '').text\n"
        "sys.exit('trafilatura' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
