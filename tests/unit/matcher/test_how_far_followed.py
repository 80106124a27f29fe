"""A ranking is followed until enough works in a row share nothing with the page."""

from matcher.retrieval.candidates import MAX_FRUITLESS, RankingCutoff


def compared(shares: list[bool], gathered: list[bool] | None = None) -> list[int]:
    """The places of a ranking that are compared."""
    followed, found = RankingCutoff(), []
    for place, shared in enumerate(shares):
        if followed.wants(gathered=gathered is None or gathered[place]):
            found.append(place)
            followed.note(shares=shared)
    return found


def test_works_behind_enough_that_share_nothing_are_not_compared() -> None:
    assert compared([True] + [False] * 40) == list(range(1 + MAX_FRUITLESS))


def test_as_long_as_some_share_a_passage_now_and_then_all_are_compared() -> None:
    shares = ([False] * (MAX_FRUITLESS - 1) + [True]) * 5
    assert compared(shares) == list(range(len(shares)))


def test_works_in_which_no_hits_gather_are_compared_whatever_came_before() -> None:
    gathered = [True] * 20 + [False] * 5
    assert compared([False] * 25, gathered) == [*range(MAX_FRUITLESS), *range(20, 25)]
