"""RTF is read as Word shows it: in the code pages of its fonts, without hidden words and pictures."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.documents.document import Document, join_parts
from crawler.extraction.documents.rtf import read_rtf
from wenhen.kit.errors import Unreadable

SENTENCE = "茶农把新芽摊在竹匾里，等露水散尽才下锅。"
TRADITIONAL = "許功蓋說，茶農把新芽攤在竹匾裡，等露水散盡才下鍋。"  # characters whose trail byte is a backslash
JAPANESE = "ソース表の能力を試す、茶を摘む。"
KOREAN = "찻잎을 덖는 노인은 불을 보지 않는다."


def text(content: bytes | str) -> str:
    return join_parts(read_rtf(content.encode() if isinstance(content, str) else content).parts)[0]


def rtf(*body: str, head: str = "") -> str:
    fonts = r"{\fonttbl{\f0\fnil\fcharset0 Times;}{\f1\fnil\fcharset134 SimSun;}{\f2\fnil\fcharset136 MingLiU;}}"
    return r"{\rtf1\ansi\ansicpg936\deff0" + fonts + head + "".join(body) + "}"


def escaped(words: str, charset: str) -> str:
    """Every byte by its number."""
    return "".join(f"\\'{byte:02x}" for byte in words.encode(charset))


def half_escaped(words: str, charset: str) -> str:
    """As Word writes it: bytes of ASCII stand for themselves, also those that are the second of a pair."""
    return re.sub(
        r"[\x80-\xff]|[\\{}]",
        lambda found: f"\\'{ord(found[0]):02x}" if found[0] > "\x7f" else "\\" + found[0],
        words.encode(charset).decode("latin-1"),
    )


@pytest.mark.parametrize("write", [escaped, half_escaped])
@pytest.mark.parametrize(
    ("words", "charset", "code_page", "font_charset"),
    [
        (SENTENCE, "gb18030", 936, 134),
        (TRADITIONAL, "big5", 950, 136),
        (TRADITIONAL, "gbk", 936, 134),
        (JAPANESE, "cp932", 932, 128),
        (KOREAN, "cp949", 949, 129),
        ("Чай собирают утром.", "cp1251", 1251, 204),
        ("Señor, ¿dónde está el té?", "cp1252", 1252, 0),
    ],
)
def test_text_is_read_in_the_code_page_of_its_font_or_of_the_file(
    write: object, words: str, charset: str, code_page: int, font_charset: int
) -> None:
    written = write(words, charset)  # type: ignore[operator]
    by_font = f"{{\\rtf1\\ansi\\ansicpg1252{{\\fonttbl{{\\f3\\fcharset{font_charset} A;}}}}\\f3 {written}}}"
    by_file = f"{{\\rtf1\\ansi\\ansicpg{code_page} {written}}}"
    assert (text(by_font), text(by_file)) == (words, words)
    if code_page != 1252:
        raw = f"{{\\rtf1\\ansi\\ansicpg{code_page} ".encode() + words.encode(charset).replace(b"\\", b"\\\\") + b"}"
        assert text(raw) == words


def test_two_code_pages_stand_in_one_file() -> None:
    assert text(rtf(r"\f2 " + escaped("許功蓋", "big5"), r"\f1 " + escaped("茶农", "gbk"))) == "許功蓋茶农"
    assert text(rtf(r"{\f0 " + escaped("茶农", "gbk") + "}")) == "茶农"  # under a font of which nobody said so
    assert text(rtf(r"{\f0 caf\'e9 \'e9t\'e9}")) == "café été"


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (r"\u33590?\u21494?", "茶叶"),
        (r"\uc2\u33590\'b2\'e8\u21494\'d2\'b6", "茶叶"),
        (r"\uc0\u33590 \u21494 b", "茶叶b"),
        (r"{\uc2 \u33590 ab}c\u21494?", "茶c叶"),
        (r"\u-10179?\u-8704?", "😀"),
        (r"\u-31946?", "茶"[:0] + chr(65536 - 31946)),
        (r"\uc1\u33590\tab c", "茶c"),
        (r"a\par b\line c\tab d\~e\_f\-g", "a\nb\nc d e-fg"),
        (r"\ldblquote a\rdblquote\emdash\{b\}\\", "“a”—{b}\\"),
        ("one\r\ntwo", "onetwo"),
        ("one\\\ntwo", "one\ntwo"),
        (r"{\v hidden}seen{\v0 too}", "seentoo"),
        (r"\v hidden\v0 seen", "seen"),
        (r"\v hidden\plain seen", "seen"),
        (r"{\deleted gone}here", "here"),
        (r"{\revised here}", "here"),
        (r"{\*\unknownthing {\b x}}seen", "seen"),
        (r"{\header h}{\footer f}{\pict\wmetafile8 0102ff}seen", "seen"),
        (r"{\*\shppict{\pict\pngblip 89504e47}}{\nonshppict{\pict 00}}seen", "seen"),
        (r"{\field{\*\fldinst HYPERLINK x}{\fldrslt seen}}", "seen"),
        (r"{\field{\*\fldinst EQ \\\\o\\\\ad(\\\\s\\\\up 9(cha),\u33590?)}{\fldrslt }}\u21494?", "茶叶"),
        (r"{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt box}}{\shprslt box}}", "box"),
        (r"{\shp\shpleft9{\sp{\sn fFilled}{\sv 0}}{\shpinst{\sp{\sn fLine}{\sv 0}}{\shptxt box}}}", "box"),
        (r"{\object{\*\objdata 0102}{\result seen}}", "seen"),
        (r"{\upr{old}{\*\ud new}}", "new"),
        (r"a{\footnote\pard note}b", "ab\nnote"),
        (r"{\listtext 1.\tab}item", "item"),
        (r"{\trowd a\cell b\cell\row}c", "a\nb\nc"),
        (r"{\bkmkstart x}seen{\xe{index}}", "seen"),
    ],
)
def test_what_is_shown_is_text_and_what_is_not_is_none(body: str, shown: str) -> None:
    assert text(rtf(body)) == shown


@pytest.mark.parametrize(
    ("words", "page", "charset"),
    [("許功蓋的茶", 950, "big5"), ("表示する能力", 932, "cp932"), ("渡口的燈", 936, "gbk")],
)
def test_raw_bytes_are_read_although_some_are_signs_of_rtf(words: str, page: int, charset: str) -> None:
    body = words.encode(charset) + b"\\par " + words.encode(charset)
    assert text(b"{\\rtf1\\ansi\\ansicpg%d{\\b " % page + body + b"}}") == f"{words}\n{words}"


def test_bytes_of_a_picture_are_counted_and_no_text() -> None:
    picture = bytes(range(256)) * 2
    content = rtf("PLACE").encode().replace(b"PLACE", b"{\\pict\\bin512 " + picture + b"}seen")
    assert text(content) == "seen"


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\r\n ", b""])
def test_a_mark_and_utf_8_of_programs_that_know_no_rtf_are_read(mark: bytes) -> None:
    assert text(mark + rtf(SENTENCE).encode()) == SENTENCE


def test_title_and_author_are_those_of_the_file() -> None:
    head = r"{\info{\title " + escaped("春茶记", "gbk") + r"}{\author A}{\*\company C}{\doccomm c}}"
    found = read_rtf(rtf("seen", head=head).encode())
    assert (found.title, found.author, join_parts(found.parts)[0]) == ("春茶记", "A", "seen")
    assert read_rtf(rtf("seen", head=r"{\info{\title Untitled}}").encode()).title is None


def test_what_is_no_rtf_is_refused() -> None:
    with pytest.raises(Unreadable, match="RTF"):
        read_rtf(b"{\\rt f1}")


def test_groups_without_end_and_in_great_depth_are_read() -> None:
    assert text(r"{\rtf1 " + "{" * 100_000 + "seen") == "seen"
    assert text(r"{\rtf1 seen}" + "}" * 100_000) == "seen"


@given(body=st.text(st.sampled_from("\\{}'*u1-c0 f\u8336abinvpar"), max_size=60))
def test_any_markup_gives_some_text(body: str) -> None:
    assert isinstance(read_rtf(("{\\rtf1" + body).encode()), Document)


@given(words=st.text(st.sampled_from(TRADITIONAL), min_size=1, max_size=40))
def test_what_is_written_in_big5_is_read_back(words: str) -> None:
    assert text(rtf(r"\f2 " + half_escaped(words, "big5"))) == words
