"""Columns are read from the right, whatever the order is in which a program draws them."""

import io

import pytest
from reportlab.lib.pagesizes import A5
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas

from crawler.extraction.documents.pdf import read_pdf
from crawler.extraction.documents.pdf_lines import PdfLine, group_paragraphs
from tests.support.documents.files import pdf
from tests.support.documents.pdf_markup import mapped_pdf

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


def test_a_head_at_the_side_hides_no_tier() -> None:
    upper, lower = placed(FIRST), placed(SECOND, top=A5[1] - 40 - SPACING * (HEIGHT + 2))
    side = [(20.0, A5[1] - 40 - SPACING * at, "卷") for at in range(2 * HEIGHT + 2)]
    read = "".join(read_pdf(draw(upper + lower + side)).parts[0].paragraphs)
    assert read.replace("卷", "") == FIRST + SECOND


def test_a_head_that_runs_across_is_a_paragraph_before_the_columns() -> None:
    registerFont(UnicodeCIDFont("STSong-Light"))
    canvas = Canvas(file := io.BytesIO(), pagesize=A5)
    canvas.setFont("STSong-Light", SIZE)
    for across, down, sign in placed(FIRST):
        canvas.drawString(across, down, sign)
    canvas.drawString(A5[0] / 2, A5[1] - 15, "Spring tea")
    canvas.save()
    assert read_pdf(file.getvalue()).parts[0].paragraphs == ("Spring tea", FIRST)


def test_a_column_that_is_longer_than_the_others_is_one() -> None:
    lines = ("茶农把新芽摊在竹匾里等露", "锅边的老人不看火只听叶子在铁上翻动的声音", "山道上的茶担一前一后担绳")
    signs = [
        (A5[0] - 40 - PITCH * across, A5[1] - 40 - SPACING * down, sign)
        for across, line in enumerate(lines)
        for down, sign in enumerate(line)
    ]
    assert "".join(read_pdf(draw(signs)).parts[0].paragraphs) == "".join(lines)


def test_lines_are_no_columns_also_where_many_hold_one_character() -> None:
    rows = [FIRST, *"甲乙丙丁", SECOND]
    assert read_pdf(pdf([rows])).parts[0].paragraphs == tuple(rows)


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (("the old man lis", "tens to the leaves"), "the old man lis tens to the leaves"),
        (("Чай собирают", "утром и вечером"), "Чай собирают утром и вечером"),
        (("thé vert né", "été et hiver"), "thé vert né été et hiver"),
        (("茶农把新芽摊", "在竹匾里等着"), "茶农把新芽摊在竹匾里等着"),
    ],
)
def test_lines_are_joined_by_a_blank_where_the_script_has_blanks(lines: tuple[str, ...], joined: str) -> None:
    placed = [PdfLine(line, 40, 300, 700 - 15 * at, 12) for at, line in enumerate(lines)]
    assert list(group_paragraphs(placed)) == [joined]


@pytest.mark.parametrize(
    ("line", "kept"), [("1 2 3", True), ("- 3 -", False), ("第 3 页 共 20 页", False), ("3/20", False)]
)
def test_a_row_of_numbers_is_no_page_number(line: str, kept: bool) -> None:
    content = mapped_pdf(("茶农把新芽摊在竹匾里。", "等露水散尽才下锅。", line), {})
    assert (line.replace(" ", "") in "".join(read_pdf(content).parts[0].paragraphs).replace(" ", "")) is kept
