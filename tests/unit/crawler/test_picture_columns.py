"""Vertical text in pictures is read column by column, however many pieces a column was found in."""

from itertools import permutations

from crawler.extraction.model import Box
from crawler.extraction.ocr import order_columns

# A comma leaves a narrow piece at the right edge of its column, whose own right edge lies beyond that of the others.
PIECES = [
    (Box(100, 40, 130, 300), "渡口的老陈每天清早"),
    (Box(118, 310, 134, 330), "，"),
    (Box(101, 340, 128, 500), "把船板擦一遍"),
    (Box(60, 40, 90, 280), "擦到能照见人影"),
    (Box(70, 290, 79, 320), "一"),
]


def test_pieces_of_a_column_stand_together_from_above_and_columns_from_the_right() -> None:
    for found in permutations(PIECES):
        assert order_columns(found) == PIECES
