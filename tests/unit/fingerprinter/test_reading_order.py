"""Text that is written backwards or in columns is read in its order, and its letters map back to where they stand."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.alphabet import code_points
from fingerprinter.initials.to_initials import to_initials
from fingerprinter.normalize.character_statistics import count_tagged, list_pairs, turned_pairs, turned_tags
from fingerprinter.normalize.reading_order import reading_order
from wenhen.demo.articles import OWN_TEXTS_DIR, to_traditional

STORY = (
    "我们到渡口的时候，天已经黑了。摆渡的老人说：“今天的风太大，你们还是回去吧。”但是他的儿子不愿意，"
    "他觉得这种风算不了什么，于是我们又等了一会儿。后来，风果然小了。"
)
TELLING = 200  # code points that tell which way they run; fewer may not
PIECES = ("我们", "们我", "已经", "经已", "时候", "候时", "\n", "。", "，", "船", "a", "\ud800", "\u0301", "𠀀")


def columns(text: str, height: int, *, from_right: bool) -> str:
    """The text downwards in columns, the last of which is filled up."""
    cut = [text[at : at + height].ljust(height, "　") for at in range(0, len(text), height)]
    return "\n".join("".join(column[row] for column in (cut[::-1] if from_right else cut)) for row in range(height))


def read(text: str) -> str:
    """The text in the order in which it is read."""
    order = reading_order(code_points(text))
    return text if order is None else "".join(text[place] for place in order)


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=60).map("".join)))
def test_an_order_leaves_nothing_out_and_repeats_nothing(text: str) -> None:
    order = reading_order(code_points(text))
    assert order is None or sorted(order.tolist()) == list(range(len(text)))


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_no_pair_that_tells_is_overlooked_by_the_first_glance(text: str) -> None:
    points = code_points(text)
    assert count_tagged(points, turned_tags()) >= len(list_pairs(points, turned_pairs()))
    assert np.count_nonzero(turned_tags()) == len(turned_pairs().pairs)


def test_plain_texts_are_read_as_they_stand_and_backwards_they_are_turned_round() -> None:
    texts = [path.read_text("utf-8") for path in OWN_TEXTS_DIR.glob("*.txt")]
    assert [text for text in texts if reading_order(code_points(text)) is not None] == []
    long = [text for text in texts if len(text) >= TELLING]
    assert len(long) > len(texts) / 2
    assert [text for text in long if read(text[::-1]) != text] == []


def test_rows_whose_characters_stand_apart_are_read_along() -> None:
    texts = ["".join(path.read_text("utf-8").split()) for path in OWN_TEXTS_DIR.glob("*.txt")]
    grids = ["\n".join(" | ".join(text[at : at + 5]) for at in range(0, len(text), 5)) for text in texts]
    assert [grid for grid in grids if read(grid) != grid] == []


@pytest.mark.parametrize("written", [STORY, to_traditional(STORY)], ids=["simplified", "traditional"])
def test_a_passage_that_is_written_backwards_gives_its_letters_where_they_stand(written: str) -> None:
    page = f"本站每天更新。\n{written[::-1]}\n请记住我们的地址，也请告诉你的朋友们。"
    letters, plain = to_initials(page), to_initials(page.replace(written[::-1], written))
    assert letters.codes.tolist() == plain.codes.tolist()
    for mine, other in zip(letters.starts.tolist(), plain.starts.tolist(), strict=True):
        assert page[mine] == page.replace(written[::-1], written)[other]
    first = page.index(written[::-1])
    count = len(to_initials(written))
    begin = len(to_initials(page[:first]))
    assert letters.span(begin, begin + count)[1] - letters.span(begin, begin + count)[0] >= len(written) - 1


def test_sentences_turned_round_in_a_line_of_others_are_turned_back() -> None:
    page = f"这是今天的第一条消息，我们已经核对过了。{STORY[::-1]}"
    assert STORY in read(page)
    assert read(page).startswith("这是今天的第一条消息")


@pytest.mark.parametrize("from_right", [True, False])
def test_columns_are_read_downwards_from_the_side_on_which_they_make_sense(from_right: bool) -> None:
    page = f"头条\n\n{columns(STORY, 8, from_right=from_right)}\n\n尾声"
    assert STORY in read(page)
    assert read(page).startswith("头条\n\n")
    assert read(page).endswith("尾声")


def test_columns_without_their_filling_are_read_too() -> None:
    assert STORY in read("\n".join(line.rstrip() for line in columns(STORY, 8, from_right=False).split("\n")))


@pytest.mark.parametrize("seed", range(5))
def test_characters_at_random_are_no_text_that_could_be_turned(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choice(STORY) + "\n" * (rng.random() < 0.02) for _ in range(20_000))
    assert reading_order(code_points(text)) is None


def test_lines_of_one_length_that_make_sense_stay_lines() -> None:
    verse = "我们已经到了\n他们还在路上\n这些花都开了\n那些船还没来\n于是大家坐下"
    assert reading_order(code_points(verse)) is None


def test_the_rows_of_a_table_stay_rows() -> None:
    assert reading_order(code_points("\n".join(["| 我我 | 05 |", "| 们们 | 17 |"] * 6))) is None


def test_letters_of_a_ligature_and_of_pinyin_keep_their_places_when_turned_round() -> None:
    letters = to_initials(STORY.replace("老人", "lǎo人")[::-1])
    assert (letters.starts < letters.ends).all()
    assert int(letters.ends.max()) <= len(STORY) + 2
    assert np.all(np.diff(letters.starts.astype(np.int64)) < 0)
