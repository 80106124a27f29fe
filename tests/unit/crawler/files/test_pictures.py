"""Screenshots are read line by line, also white on black and in columns, and each line knows its picture."""

import io
from collections.abc import Iterator

import pytest
from PIL import Image, ImageDraw, ImageFont
from rapidfuzz.distance import Levenshtein

from crawler.extraction.documents.file_kinds import is_picture_file
from crawler.extraction.model import PartKind, find_text_place
from crawler.extraction.page import extract_page
from tests.support.documents.files import packed
from tests.support.fonts import NOTO
from wenhen.kit.errors import Unreadable

LINES = ("渡船靠岸的时候天已经黑了", "等最后一个挑担的人走上石阶", "才慢慢把缆绳收起来")


def screenshot(*, downwards: bool = False, ink: str = "black", paper: str = "white") -> bytes:
    picture = Image.new("RGB", (420, 420), paper)
    font, drawing = ImageFont.truetype(str(NOTO), 26, index=2), ImageDraw.Draw(picture)
    for at, line in enumerate(LINES):
        for place, sign in enumerate(line):
            here = (350 - 60 * at, 15 + 28 * place) if downwards else (20 + 28 * place, 30 + 60 * at)
            drawing.text(here, sign, font=font, fill=ink)
    picture.save(file := io.BytesIO(), "PNG")
    return file.getvalue()


def shots() -> Iterator[tuple[str, bytes]]:
    yield "1.png", screenshot(ink="white", paper="black")
    yield "2.png", screenshot(downwards=True)
    yield "3.png", b"\x89PNG\r\n\x1a\nbroken"


@pytest.mark.skipif(not NOTO.exists(), reason="no Noto Sans CJK on this machine")
def test_screenshots_are_read_in_their_order_and_what_is_none_is_told() -> None:
    page = extract_page(packed(dict(shots())), (), "http://a.test/shots.zip")
    assert Levenshtein.normalized_similarity(page.text, "\n".join(LINES * 2)) >= 0.95
    places = [find_text_place(page.text, page.parts, start.start) for start in page.parts]
    assert [(one.kind, one.number, one.file) for one in places if one] == [
        (PartKind.PICTURE, 1, "1.png"),
        (PartKind.PICTURE, 2, "2.png"),
    ]
    assert [str(one) for one in page.lost] == [
        "3.png in the archive was not read: not a whole picture file (it cannot be decoded)"
    ]


def test_a_picture_is_known_by_its_name_and_how_it_begins_and_alone_is_no_page() -> None:
    assert is_picture_file(b"\x89PNG\r\n\x1a\n", "a.PNG")
    assert not is_picture_file(b"\x89PNG\r\n\x1a\n", "a.txt")
    assert not is_picture_file(b"words", "a.png")
    with pytest.raises(Unreadable, match="no file that can be read"):
        extract_page(packed({"a.png": b"words"}), (), "http://a.test/a.zip")
