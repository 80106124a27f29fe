"""Books and documents are read as what they say, paragraph by paragraph, or refused with the reason."""

from collections.abc import Callable
from functools import partial

import pytest

from crawler.extraction.documents.file_kinds import FileKind, detect_file_kind
from crawler.extraction.model import PartKind, TextPlace, find_text_place
from crawler.extraction.page import extract_page
from crawler.extraction.sandbox_calls import read_page
from tests.support.documents.files import epub, mobi, old_word, packed, pdf, rich_text, word
from wenhen.kit.errors import Unreadable

FERRY = (
    "渡船靠岸的时候天已经黑了，船夫把灯挂在桅杆上，等最后一个挑担的人走上石阶，才慢慢把缆绳收起来，一圈一圈盘在船头。"
)
SNOW = "那年的雪下得早，山路封了，送信的人在驿站里住了十一天，把每一封信的地址都背了下来，到后来连字迹的轻重也记得。"
BRIDGE = "桥头的铁匠铺一直开到半夜，火光映在河里，像有人在水底点了一盏灯。"
PAGES = [[FERRY, BRIDGE], [SNOW, BRIDGE[::-1], FERRY[::-1]]]
LINES = [line for page in PAGES for line in page]


def place(content: bytes, words: str, *, url: str = "http://a.test/book") -> TextPlace | None:
    page = extract_page(content, (), url)
    return find_text_place(page.text, page.parts, page.text.index(words))


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (partial(pdf, PAGES), PartKind.PAGE),
        (partial(epub, PAGES), PartKind.CHAPTER),
        (partial(mobi, PAGES), PartKind.CHAPTER),
        (partial(mobi, PAGES, compression=1), PartKind.CHAPTER),
        (partial(word, LINES), PartKind.WHOLE),
        (partial(old_word, LINES), PartKind.WHOLE),
        (partial(rich_text, LINES), PartKind.WHOLE),
    ],
    ids=["pdf", "epub", "mobi", "mobi as it is", "docx", "doc", "rtf"],
)
def test_each_format_gives_its_paragraphs_and_where_they_stand(make: Callable[[], bytes], kind: PartKind) -> None:
    content = make()
    assert extract_page(content, (), "http://a.test/book").text.removesuffix("\nthe end") == "\n".join(LINES)
    expected = TextPlace(kind, 1, 4) if kind is PartKind.WHOLE else TextPlace(kind, 2, 2)
    assert place(content, BRIDGE[::-1]) == expected


@pytest.mark.parametrize("charset", ["utf-8", "gb18030", "big5hkscs", "utf-16"])
def test_plain_text_is_read_in_any_charset(charset: str) -> None:
    line = (
        "渡口的石阶下有一只小船，船上的人不知往何方去了"
        if charset != "big5hkscs"
        else "渡口的石階下有一隻小船，船上的人不知往何方去了"
    )
    body = f"{line}\r\n\r\n　　{line[::-1]}".encode(charset)
    page = extract_page(body, [("Content-Type", "text/plain")], "http://a.test/1")
    assert page.text == f"{line}\n{line[::-1]}"
    assert find_text_place(page.text, page.parts, len(line) + 1) == TextPlace(PartKind.WHOLE, 1, 2)


def test_an_archive_says_what_its_files_say_and_what_of_it_was_lost() -> None:
    content = packed(
        {
            "上.txt": FERRY.encode("gbk"),
            "下.pdf": pdf([[SNOW]]),
            "锁.pdf": pdf([[SNOW]], password="x"),
            "a.gif": b"GIF89a",
        }
    )
    page = extract_page(content, (), "http://a.test/all.zip")
    assert page.text == f"{FERRY}\n{SNOW}"
    assert place(content, SNOW, url="http://a.test/all.zip") == TextPlace(PartKind.PAGE, 1, 1, "下.pdf")
    assert [str(one) for one in page.lost] == [
        "锁.pdf in the archive was not read: the file is protected by a password"
    ]


def test_a_page_or_chapter_that_is_broken_is_lost_alone() -> None:
    found = extract_page(pdf([[FERRY], [BRIDGE], [SNOW]]).replace(b"4 0 R 5 0 R 6", b"4 0 R 77 0 R 6"), (), "")
    assert found.text == f"{FERRY}\n{SNOW}"
    assert find_text_place(found.text, found.parts, len(FERRY) + 1) == TextPlace(PartKind.PAGE, 3, 1)
    assert [str(one) for one in found.lost] == ["page 2 is broken and was not read (Failed to load page.)"]
    book = extract_page(epub([[FERRY], [SNOW]], missing="1.xhtml"), (), "")
    assert (book.text, [one.code for one in book.lost]) == (FERRY, ["documents.in_archive"])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (pdf(PAGES, password="x"), "password"),
        (pdf(PAGES)[:700], "not a whole PDF file"),
        (b"%PDF-1.4 ...", "not a whole PDF file"),
        (pdf([[]]), "no text"),
        (word(LINES)[:-200], "broken archive"),
        (packed({"word/document.xml": b"<a/>"}), "not a whole DOCX file"),
        (packed({"word/document.xml": b" " * 80_000_000}), "unpacks to"),
        (old_word(LINES, locked=True), "password"),
        (old_word(LINES)[:1500], "not a whole DOC file"),
        (mobi(PAGES, encryption=2), "password"),
        (mobi(PAGES, compression=17480), "HUFF/CDIC"),
        (mobi(PAGES)[:200], "not a whole MOBI file"),
        (packed({"a.gif": b"GIF89a"}), "no file that can be read"),
    ],
)
def test_what_is_locked_broken_or_a_bomb_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        extract_page(content, (), "http://a.test/book")


def test_a_file_is_read_in_a_child_like_any_page() -> None:
    assert read_page(pdf(PAGES), (), "") == extract_page(pdf(PAGES), (), "")
    with pytest.raises(Unreadable, match="password"):
        read_page(pdf(PAGES, password="x"), (), "")


@pytest.mark.parametrize(
    ("content", "name", "media_type", "kind"),
    [
        (b"%PDF-1.4", "a.php", "text/html", FileKind.PDF),
        (b"PK\x03\x04", "a.zip", "", FileKind.ZIP),
        (b"PK\x03\x04", "a.apk", "application/zip", None),
        (b"words", "a.txt", "", FileKind.TEXT),
        (b"words", "a", "text/plain", FileKind.TEXT),
        (b"<!DOCTYPE html><p>%PDF-", "a.txt", "text/plain", None),
        (b"\x89PNG\r\n\x1a\n\0\0", "a.txt", "text/plain", None),
        (b"words", "a.html", "text/html", None),
        (b"", "a.txt", "text/plain", None),
    ],
)
def test_a_file_is_known_by_how_it_begins_or_by_its_name(
    content: bytes, name: str, media_type: str, kind: FileKind | None
) -> None:
    assert detect_file_kind(content, name, media_type) is kind


def test_what_runs_through_a_book_is_no_text_of_it() -> None:
    pages = [["旧书集　卷一", FERRY], ["旧书集　卷一", SNOW], ["旧书集　卷一", BRIDGE]]
    assert extract_page(pdf(pages), (), "").text == "\n".join((FERRY, SNOW, BRIDGE))
