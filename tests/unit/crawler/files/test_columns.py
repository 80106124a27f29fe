"""Columns are read from the right, whatever the order is in which a program draws them."""

import io

import pytest
from reportlab.lib.pagesizes import A5
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas

from crawler.extraction.documents.pdf import read_pdf
from tests.support.documents.files import pdf

FIRST = "茶农把新芽摊在竹匾里，等露水散尽才下锅。锅边的老人不看火，只听叶子在铁上翻动的声音。"
SECOND = "山道上的茶担一前一后，担绳勒进肩头，没有人说话。天亮时头一锅茶装进了锡罐，罐口封着去年的红纸。"
HEIGHT = 16  # characters of a column
SIZE, PITCH, SPACING = 12, 20, 14  # points: of a character, between columns, between characters


def columns(paragraph: str) -> list[str]:
    text = f"\0\0{paragraph}"
    return [text[at : at + HEIGHT] for at in range(0, len(text), HEIGHT)]


def placed(*paragraphs: str, top: float = A5[1] - 40) -> list[tuple[float, float, str]]:
    """Each character with its place."""
    return [
        (A5[0] - 40 - PITCH * across, top - SPACING * down, sign)
        for across, column in enumerate(column for paragraph in paragraphs for column in columns(paragraph))
        for down, sign in enumerate(column)
        if sign != "\0"
    ]


def draw(signs: list[tuple[float, float, str]]) -> bytes:
    registerFont(UnicodeCIDFont("STSong-Light"))
    canvas = Canvas(file := io.BytesIO(), pagesize=A5)
    canvas.setFont("STSong-Light", SIZE)
    for across, down, sign in signs:
        canvas.drawString(across, down, sign)
    canvas.save()
    return file.getvalue()


@pytest.mark.parametrize("order", ["columns", "rows", "from the left"])
def test_characters_below_each_other_are_columns(order: str) -> None:
    signs = placed(FIRST, SECOND)
    if order == "rows":
        signs.sort(key=lambda one: (-one[1], one[0]))
    elif order == "from the left":
        signs.sort(key=lambda one: (one[0], -one[1]))
    assert read_pdf(draw(signs)).parts[0].paragraphs == (FIRST, SECOND)


def test_a_font_that_runs_downwards_makes_columns() -> None:
    font = UnicodeCIDFont("STSong-Light", isVertical=True)
    registerFont(font)
    canvas = Canvas(file := io.BytesIO(), pagesize=A5)
    canvas.setFont(font.fontName, SIZE)
    for across, column in enumerate(column for paragraph in (FIRST, SECOND) for column in columns(paragraph)):
        canvas.drawString(A5[0] - 40 - PITCH * across, A5[1] - 40, column.replace("\0", "\u3000"))
    canvas.save()
    assert read_pdf(file.getvalue()).parts[0].paragraphs == (FIRST, SECOND)


def test_tiers_are_read_one_after_the_other() -> None:
    upper, lower = placed(FIRST), placed(SECOND, top=A5[1] - 40 - SPACING * (HEIGHT + 2))
    assert read_pdf(draw(upper + lower)).parts[0].paragraphs == (FIRST, SECOND)


def test_lines_are_no_columns_also_where_many_hold_one_character() -> None:
    rows = [FIRST, *"甲乙丙丁", SECOND]
    assert read_pdf(pdf([rows])).parts[0].paragraphs == tuple(rows)
