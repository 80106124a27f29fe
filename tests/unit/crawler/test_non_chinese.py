"""On pages in other languages, a line is text where our reading and trafilatura's agree."""

import subprocess
import sys
from html import escape

import pytest

from crawler.extraction.boilerplate import non_chinese
from crawler.extraction.dropped_text import find_dropped_text
from crawler.extraction.page import extract_html

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
CHINESE = "夜车晚了一个钟头才离开港口，因为最后一桶苹果怎么也塞不进车门，车上的人却没有一个抱怨。"


def read(body: str, title: str = "Train") -> list[str]:
    return extract_html(page(body, title), (), "").text.split("\n")


def page(body: str, title: str = "Train") -> bytes:
    return f"<html><head><meta charset=utf-8><title>{escape(title)}</title></head><body>{body}</body></html>".encode()


def paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


@pytest.mark.parametrize("lines", [ENGLISH, JAPANESE], ids=["English", "Japanese"])
def test_a_text_keeps_its_heading_and_its_paragraphs(lines: list[str]) -> None:
    menu = "<ul class=nav><li><a href=/a>Zzz</a><li><a href=/b>Yyy</a></ul>"
    assert read(f"{menu}<article><h1>Train</h1>{paragraphs(lines)}</article>") == ["Train", *lines]


def test_a_line_that_the_library_leaves_out_is_told_as_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(non_chinese, "_read_with_trafilatura", lambda html: "\n".join(ENGLISH[:3]))
    body = page(f"<div>{paragraphs(ENGLISH)}</div>")
    text = extract_html(body, (), "").text
    assert text.split("\n") == ENGLISH[:3]
    assert [dropped.text for dropped in find_dropped_text(body, (), "", text)] == ENGLISH[3:]


@pytest.mark.parametrize("other", ["", ENGLISH[0][:40]])
def test_our_reading_stands_where_the_library_lost_most_of_the_text(
    other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(non_chinese, "_read_with_trafilatura", lambda html: other)
    assert read(f"<div>{paragraphs(ENGLISH)}</div>") == ENGLISH


@pytest.mark.parametrize("error", [ValueError, RecursionError, MemoryError])
def test_our_reading_stands_where_the_library_fails(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> str:
        raise error

    monkeypatch.setattr("trafilatura.extract", fail)
    assert read(f"<div>{paragraphs(ENGLISH)}</div>") == ENGLISH


def test_hidden_words_never_come_back() -> None:
    decoy = "<span style='display:none'>marmalade</span>"
    lines = [line.replace(" ", f" {decoy}", 3) for line in ENGLISH]
    hidden = f"<p style='font-size:0'>{CHINESE}</p>"
    assert read(f"<article>{paragraphs(lines)}{hidden}</article>") == ENGLISH


@pytest.mark.parametrize("filling", ["<tr><td></td></tr>" * 20_000, "<!-- {} -->".format("x" * 1_000_000)])
def test_an_endless_page_is_read_by_ourselves_alone(filling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(non_chinese, "_read_with_trafilatura", lambda html: pytest.fail("read"))
    assert read(f"<div>{paragraphs(ENGLISH)}</div><table>{filling}</table>") == ENGLISH


@pytest.mark.parametrize(
    ("body", "judged"),
    [
        (paragraphs(ENGLISH), True),
        (paragraphs(JAPANESE), True),
        (paragraphs([CHINESE] * 9), False),
        ("<meta name=generator content=Sphinx>" + paragraphs(ENGLISH), False),
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
