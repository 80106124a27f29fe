"""The verdict: what opens a case, what is a quotation, and what other works take away."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from matcher.alignment.aligned_span import CountedText, count_text
from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.text_of_several_works import has_standing_passages
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS, decide_verdict, protected_passages
from matcher.model import Change, Level, Passage


def passage(
    page: tuple[int, int],
    work: tuple[int, int] | None = None,
    *,
    weight: float | None = None,
    change: Change = Change.VERBATIM,
    han: bool = True,
) -> AlignedPassage:
    work = work or page
    length = page[1] - page[0]
    return AlignedPassage(
        Passage(
            page_start=page[0],
            page_end=page[1],
            work_start=work[0],
            work_end=work[1],
            similarity=1.0 if change is Change.VERBATIM else 0.8,
            change=change,
        ),
        weight=(weight := length * 0.85 if weight is None else weight),
        backing=weight,
        letters=length,
        agreeing=length,
        exact=length,
        longest_run=length,
        han=han,
        agreed=np.stack((np.arange(*page), np.arange(work[0], work[0] + length)), axis=1).astype(np.int32),
    )


def long(characters: int) -> CountedText:
    """A text with so many."""
    return count_text("字" * characters)


def settled(sources: list[list[AlignedPassage]]) -> list[bool]:
    """Of works that are far longer than what was copied of them."""
    return has_standing_passages(sources, [100_000] * len(sources))


def test_a_long_passage_opens_a_case_and_says_why() -> None:
    _, verdict = decide_verdict([passage((100, 400), (0, 300))], page=long(1000), work=long(600), work_letters=600)
    assert verdict.accuse
    assert verdict.level is Level.VERBATIM
    assert (verdict.share_of_page, verdict.share_of_work, verdict.longest_run) == (0.3, 0.5, 300)
    assert "share_of_page:0.3" in verdict.reasons


def test_a_quotation_opens_none() -> None:
    _, verdict = decide_verdict(
        [passage((0, MAX_QUOTATION_INITIALS - 1))], page=long(1000), work=long(600), work_letters=600
    )
    assert (verdict.accuse, verdict.level) == (False, Level.QUOTATION)


def test_a_set_phrase_in_an_accidental_neighbourhood_opens_none_and_a_weighty_passage_opens_one_all_the_same() -> None:
    for weight, accused in ((21.0, False), (90.0, True)):
        spot = passage((0, 60), weight=weight)
        spot = replace(spot, passage=replace(spot.passage, similarity=0.45))
        assert decide_verdict([spot], page=long(1000), work=long(600), work_letters=600)[1].accuse is accused
        assert settled([[spot]]) == [accused]


def test_a_tiny_text_says_too_little() -> None:
    _, verdict = decide_verdict([passage((0, 19))], page=long(1000), work=long(19), work_letters=19)
    assert (verdict.accuse, verdict.level) == (False, Level.TOO_SHORT)


def test_a_quatrain_is_protected_as_a_whole_and_its_lines_may_be_quoted() -> None:
    whole, lines = passage((100, 120), (0, 20)), passage((100, 110), (0, 10))
    assert decide_verdict([whole], page=long(900), work=long(26), work_letters=20)[1].accuse
    assert has_standing_passages([[whole]], [20]) == [True]
    assert not decide_verdict([lines], page=long(900), work=long(26), work_letters=20)[1].accuse
    assert has_standing_passages([[lines]], [20]) == [False]


def test_beside_a_copy_quotations_are_left_out() -> None:
    copied, quoted = passage((0, 300)), passage((500, 530))
    counted, verdict = decide_verdict([copied, quoted], page=long(1000), work=long(600), work_letters=600)
    assert list(counted) == [copied]
    assert verdict.share_of_page == 0.3


def test_passages_that_overlap_are_counted_once() -> None:
    _, verdict = decide_verdict(
        [passage((0, 200)), passage((100, 300), (400, 600))], page=long(600), work=long(600), work_letters=600
    )
    assert verdict.share_of_page == 0.5


def test_the_level_is_the_change_of_most_of_the_text() -> None:
    small, large = passage((0, 60)), passage((100, 500), change=Change.REWRITTEN)
    assert decide_verdict([small, large], page=long(600), work=long(600), work_letters=600)[1].level is Level.REWRITTEN


def test_more_copied_text_scores_higher() -> None:
    scores = [
        decide_verdict([passage((0, n))], page=long(9000), work=long(9000), work_letters=9000)[1].score
        for n in (60, 200, 8000)
    ]
    assert scores == sorted(scores)
    assert all(0 < score < 1 for score in scores)


def test_many_quotations_of_one_work_are_a_copy_in_pieces() -> None:
    pieces = [passage((100 * n, 100 * n + 38)) for n in range(4)]
    counted, verdict = decide_verdict(pieces, page=long(2000), work=long(2000), work_letters=2000)
    assert verdict.accuse
    assert counted == pieces
    assert settled([pieces]) == [True]
    assert not decide_verdict(pieces[:1], page=long(2000), work=long(2000), work_letters=2000)[1].accuse
    many_share_them = [[passage((100 * n, 100 * n + 38)) for n in range(4)] for _ in range(12)]
    assert settled(many_share_them) == [False] * 12


def test_code_that_another_work_has_more_of_accuses_nobody() -> None:
    mine, theirs = [passage((100, 160), weight=25, han=False)], [passage((0, 400), weight=300, han=False)]
    assert settled([mine, theirs]) == [False, True]


def test_a_copied_text_stands_beside_a_larger_one() -> None:
    mine, theirs = [passage((100, 160))], [passage((0, 400))]
    assert settled([mine, theirs]) == [True, True]


def test_a_paragraph_that_the_works_of_one_owner_share_is_put_down_to_the_one_that_was_copied_whole() -> None:
    shared, whole = [passage((100, 160), weight=50)], [passage((0, 4000), weight=3500)]
    assert settled([shared, whole]) == [False, True]
    assert settled([[*shared, passage((5000, 5200), weight=180)], whole]) == [True, True]


def test_a_piece_of_another_work_in_the_midst_of_a_copy_is_put_down_to_the_work_that_has_its_letters() -> None:
    inserted, around = passage((2000, 2060), weight=50), passage((0, 4000), weight=3400)
    apart = (around.agreed[:, 0] < 2000) | (around.agreed[:, 0] >= 2060)
    assert settled([[inserted], [around]]) == [False, True]
    assert settled([[inserted], [replace(around, agreed=around.agreed[apart])]]) == [True, True]


def test_editions_of_one_work_stand_beside_each_other() -> None:
    assert settled([[passage((0, 60), weight=50, han=False)], [passage((0, 60), weight=52, han=False)]]) == [True, True]


def test_what_many_works_share_accuses_none_of_them() -> None:
    licence = [[passage((0, 120))] for _ in range(12)]
    assert settled([*licence, [passage((0, 120)), passage((300, 500))]]) == [False] * 12 + [True]


PASSAGES = st.builds(
    lambda letters, weight, similarity, han, same: replace(
        passage((0, letters), weight=weight, han=han),
        exact=round(letters * same),
        passage=replace(passage((0, letters)).passage, similarity=similarity, same_characters=similarity * same),
    ),
    st.integers(8, 140),
    st.floats(0.5, 60),
    st.floats(0.3, 1),
    st.booleans(),
    st.floats(0, 1),
)


@given(st.lists(st.tuples(PASSAGES, st.booleans()), min_size=1, max_size=5), st.integers(15, 400), st.integers(10, 60))
def test_a_work_whose_passages_open_no_case_opens_none_with_fewer_of_them(
    shared: list[tuple[AlignedPassage, bool]], work_letters: int, shortest: int
) -> None:
    everything = [one for one, _ in shared]
    fewer = [one for one, is_left in shared if is_left]
    if not protected_passages(everything, work_letters, shortest):
        assert not protected_passages(fewer, work_letters, shortest)
    assert not has_standing_passages([fewer], [work_letters], [shortest])[0] or protected_passages(
        everything, work_letters, shortest
    )
