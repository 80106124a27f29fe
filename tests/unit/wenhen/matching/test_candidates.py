"""Which works a text is compared with, where more were found than are."""

from matcher.retrieval.ranking import RankedDocument
from wenhen.matching.candidates import merge_pieces


def found(*scores: float, first: int = 0) -> list[RankedDocument]:
    """Documents with these scores, numbered from `first` on, in the order in which they were ranked."""
    return [RankedDocument(first + at, 9, 1.0, 20.0, score) for at, score in enumerate(scores)]


OWNERS = {number: (f"w{number}", 1) for number in range(20)}


def test_who_was_ranked_first_is_compared_and_the_likeliest_comes_first() -> None:
    assert [one.owner_id for one in merge_pieces([found(0.9, 0.5, 0.7, 0.99)], OWNERS, 3)] == ["w0", "w2", "w1"]


def test_each_piece_of_a_long_text_has_its_first_ones() -> None:
    pieces = [found(0.99, 0.98, 0.97), found(0.4, 0.3, first=10)]
    assert [one.owner_id for one in merge_pieces(pieces, OWNERS, 3)] == ["w0", "w1", "w10"]


def test_a_work_found_in_several_pieces_counts_once_and_one_that_is_gone_not_at_all() -> None:
    owners = {0: ("whole", 1), 10: ("whole", 1)}
    [one] = merge_pieces([found(0.6, 0.9), found(0.8, first=10)], owners, 3)
    assert (one.owner_id, one.hits, one.score) == ("whole", 18, 0.8)
