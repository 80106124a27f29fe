"""Which works explain which letters of a page."""

import numpy as np

from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.text_of_several_works import explains_passage, works_with_same_text
from matcher.model import Change, Passage


def passage(*spans: tuple[int, int]) -> AlignedPassage:
    """A passage that has the letters of these spans of the page, and none between them."""
    letters = np.concatenate([np.arange(start, end) for start, end in spans]).astype(np.int32)
    start, end = int(letters[0]), int(letters[-1]) + 1
    place = Passage(page_start=start, page_end=end, work_start=0, work_end=end, similarity=1.0, change=Change.LIGHT)
    agreed = np.stack((letters, letters), axis=1)
    return AlignedPassage(place, 100.0, len(letters), len(letters), len(letters), len(letters), han=True, agreed=agreed)


def test_a_passage_explains_the_letters_that_it_has_and_not_those_that_it_spans() -> None:
    inside = passage((400, 500))
    assert explains_passage(passage((0, 1000)), inside)
    assert not explains_passage(passage((0, 400), (500, 1000)), inside)
    assert not explains_passage(inside, passage((0, 1000)))


def test_a_passage_without_letters_is_explained_by_none() -> None:
    nothing = AlignedPassage(passage((0, 9)).passage, 0.0, 0, 0, 0, 0, han=True)
    assert not explains_passage(passage((0, 1000)), nothing)


def test_works_that_hold_the_same_text_name_each_other_and_no_third_one() -> None:
    series, collection = [passage((0, 300)), passage((600, 900))], [passage((0, 900))]
    other = [passage((1000, 1400))]
    assert works_with_same_text([series, collection, other]) == [[1], [], []]
    assert works_with_same_text([series, series[:], other]) == [[1], [0], []]
