"""The ranking: hits count where they gather on a diagonal, and chance is subtracted."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from matcher.index.protocol import Hits
from matcher.retrieval.ranking import COMMON_FEATURE_HITS, MAX_WITNESSES, rank_documents


def hits(*places: tuple[int, int, int]) -> Hits:
    """Hits from (letter of the query, document, letter of the document)."""
    columns = np.array(places, np.uint32).reshape(-1, 3).T
    return Hits(columns[0].copy(), columns[1].copy(), columns[2].copy())


def ranked(found: Hits, *, documents: int = 1000, most: int = 100) -> list[int]:
    return [one.number for one in rank_documents(found, query_letters=2000, documents=documents, most=most)]


def on_a_diagonal(document: int, count: int, *, start: int = 100, shift: int = 700) -> list[tuple[int, int, int]]:
    return [(start + 7 * i, document, start + shift + 7 * i) for i in range(count)]


def scattered(document: int, count: int, seed: int = 1) -> list[tuple[int, int, int]]:
    random = np.random.default_rng(seed)
    return [(int(a), document, int(b)) for a, b in random.integers(0, 20_000, (count, 2)) % [2000, 20_000]]


def test_nothing_found_is_nothing_ranked() -> None:
    assert ranked(hits()) == []


def test_hits_on_one_diagonal_count_and_scattered_ones_do_not() -> None:
    assert ranked(hits(*scattered(1, 40), *on_a_diagonal(2, 6)))[0] == 2


def test_a_single_shared_feature_ranks_last_and_only_where_few_documents_share_any() -> None:
    gathered, lone = on_a_diagonal(2, 6), [(50, 7, 900)]
    assert ranked(hits(*gathered, *lone)) == [2, 7]
    many = [(50 + 3 * document, document, 900) for document in range(10, 120)]
    assert ranked(hits(*gathered, *lone, *many)) == [2]


def test_more_hits_of_a_passage_rank_before_fewer() -> None:
    assert ranked(hits(*on_a_diagonal(1, 4), *on_a_diagonal(2, 9), *on_a_diagonal(3, 6))) == [2, 3, 1]


def test_letters_put_in_and_left_out_keep_a_passage_together() -> None:
    drifting = [(100 + 10 * i, 1, 900 + 13 * i) for i in range(8)]
    assert ranked(hits(*drifting)) == [1]


def test_what_many_documents_share_ranks_below_what_one_has() -> None:
    shared = [hit for document in range(1, 60) for hit in on_a_diagonal(document, 8, start=1000)]
    assert ranked(hits(*shared, *on_a_diagonal(99, 6)), documents=60)[0] == 99


def test_boilerplate_does_not_crowd_out_a_passage() -> None:
    shared = [hit for document in range(1, 300) for hit in on_a_diagonal(document, 40, start=1000)]
    assert 999 in ranked(hits(*shared, *on_a_diagonal(999, 3)), documents=1_000_000, most=50)


def test_a_score_is_a_probability_and_grows_with_the_evidence() -> None:
    few, many = (
        rank_documents(hits(*on_a_diagonal(1, n)), query_letters=2000, documents=1_000_000)[0] for n in (2, 10)
    )
    assert 0 < few.score < 0.5 < many.score <= 1
    assert (few.hits, many.hits) == (2, 10)


def test_no_more_are_ranked_than_asked_for() -> None:
    groups = ((document, 100 + document // 20 * 100) for document in range(300))
    found = hits(*(hit for document, start in groups for hit in on_a_diagonal(document, 5, start=start)))
    assert len(ranked(found, most=20)) == 20


def test_of_what_very_many_documents_share_a_few_witnesses_are_ranked_and_nobody_with_something_of_his_own() -> None:
    block = [hit for document in range(1, 300) for hit in on_a_diagonal(document, 40, start=1000)]
    own = [hit for document in (250, 280) for hit in on_a_diagonal(document, 2, start=200)]
    found = ranked(hits(*block, *own))
    assert len(found) == MAX_WITNESSES + 2
    assert {250, 280} <= set(found)
    assert len(ranked(hits(*(hit for hit in block if hit[1] < COMMON_FEATURE_HITS)))) == COMMON_FEATURE_HITS - 1, (
        "what some share is not common"
    )


def test_no_stretch_crowds_out_the_source_of_another_among_those_that_will_be_compared() -> None:
    shared = [
        hit
        for block in range(3)
        for document in range(30 * block, 30 * block + 30)
        for hit in on_a_diagonal(document, 25, start=512 * block)
    ]
    found = hits(*shared, *on_a_diagonal(99, 3, start=1700))
    by_evidence = [one.number for one in rank_documents(found, query_letters=2000, documents=5000)]
    compared = [one.number for one in rank_documents(found, query_letters=2000, documents=5000, compared=64)]
    assert by_evidence[-1] == 99
    assert 99 in compared[:64]
    assert sorted(compared) == sorted(by_evidence)


def test_of_what_is_common_and_nothing_else_a_letter_is_told() -> None:
    block = [hit for document in range(1, 60) for hit in on_a_diagonal(document, 40, start=1000)]
    own = on_a_diagonal(50, 2, start=200)
    found = rank_documents(hits(*block, *own), query_letters=2000, documents=1_000_000)
    places = {one.number: one.common_at for one in found}
    assert places.pop(50) is None, "it shares something of its own"
    assert {place for place in places.values() if place is not None and 1000 <= place < 2000} == set(places.values())


def test_each_common_stretch_has_witnesses_of_its_own() -> None:
    blocks = [hit for document in range(1, 100) for hit in on_a_diagonal(document, 30, start=100)]
    blocks += [hit for document in range(100, 200) for hit in on_a_diagonal(document, 30, start=1200)]
    found = ranked(hits(*blocks))
    assert sum(number < 100 for number in found) == sum(number >= 100 for number in found) == MAX_WITNESSES


@given(st.lists(st.tuples(st.integers(0, 1999), st.integers(0, 5), st.integers(0, 32_767)), max_size=60), st.randoms())
def test_the_order_of_hits_does_not_matter(places: list[tuple[int, int, int]], random: Random) -> None:
    shuffled = list(places)
    random.shuffle(shuffled)
    assert rank_documents(hits(*places), query_letters=2000, documents=6) == rank_documents(
        hits(*shuffled), query_letters=2000, documents=6
    )


@given(st.lists(st.tuples(st.integers(0, 1999), st.integers(0, 8), st.integers(0, 32_767)), max_size=60))
def test_documents_with_a_single_hit_change_nothing_where_there_are_too_many_to_be_ranked(
    places: list[tuple[int, int, int]],
) -> None:
    gathered = [hit for document in (3, 5) for hit in on_a_diagonal(document, 4, start=100 * document)]
    found = [*places, *gathered]
    strays = [(7, 100 + document, 11) for document in range(200)]
    apart = [
        one for one in rank_documents(hits(*found), query_letters=2000, documents=500, most=500) if one.evidence > 0
    ]
    among = rank_documents(hits(*found, *strays), query_letters=2000, documents=500, most=150)
    if not any(place == 7 for place, _, _ in found):  # which would make its feature common
        assert among == apart


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 9), st.integers(0, 300)), max_size=80), st.floats(0, 0.3))
def test_documents_below_the_least_share_are_left_out_and_the_others_stay_as_they_are(
    places: list[tuple[int, int, int]], least: float
) -> None:
    found = hits(*places)
    everyone = rank_documents(found, query_letters=400, documents=10, asked=50)
    some = rank_documents(found, query_letters=400, documents=10, asked=50, least=least)
    assert some == [one for one in everyone if one.share >= least]
