"""Resolve which works a page is attributed to, among all that share text with it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.align_pair import Comparison
from matcher.attribution.common_text import LetterSharing, WorkPassages, remove_common_text
from matcher.attribution.stock_text import is_stock_text, is_technical_text
from matcher.retrieval.stop_features import NO_STOP_FEATURES, StopFeatureShares

# Many whole sentences of different works on one page: each alone is a quotation, together they are a compilation.


MIN_COMPILED_WORKS = 5  # of which a page has a sentence each, from which that is a matter for a person
_MIN_SENTENCE_LETTERS = 30  # letters
_MIN_EXACT_SHARE = 0.97  # share of them that are the same characters
_MIN_OWN_SHARE = 0.999  # share of it that is the work's own


def find_compilation(works: Sequence[WorkPassages]) -> list[tuple[int, AlignedPassage]]:
    """The works of which a page is compiled and the sentence of each, the longest first; none where they are few.

    What stands in several works, and what overlaps on the page, counts once at most.
    """
    pieces = [
        (number, piece) for number, work in enumerate(works) for piece in work.aligned if _is_exact_sentence(piece)
    ]
    if (
        len({number for number, _ in pieces}) < MIN_COMPILED_WORKS
        or _count_disjoint(piece for _, piece in pieces) < MIN_COMPILED_WORKS
    ):
        return []
    sharing = LetterSharing(works)
    own = [(number, piece) for number, piece in pieces if sharing.own_share(number, piece) >= _MIN_OWN_SHARE]
    chosen: dict[int, AlignedPassage] = {}
    for number, piece in sorted(own, key=lambda one: (-one[1].weight, one[0])):
        if number not in chosen and not any(_overlaps(piece, other) for other in chosen.values()):
            chosen[number] = piece
    return list(chosen.items()) if len(chosen) >= MIN_COMPILED_WORKS else []


def _is_exact_sentence(one: AlignedPassage) -> bool:
    return one.letters >= _MIN_SENTENCE_LETTERS and one.exact >= _MIN_EXACT_SHARE * one.letters


def _count_disjoint(pieces: Iterable[AlignedPassage]) -> int:
    """Of how many at most none overlaps another: of those that many works share, few."""
    count = reach = 0
    for end, start in sorted((piece.passage.page_end, piece.passage.page_start) for piece in pieces):
        if start >= reach:
            count, reach = count + 1, end
    return count


def _overlaps(one: AlignedPassage, other: AlignedPassage) -> bool:
    a, b = one.passage, other.passage
    return a.page_start < b.page_end and b.page_start < a.page_end


# What the comparisons of one page with several works amount to together: which of the works it accuses.


MIN_SUBSTANTIAL_SHARE = 0.5  # share of a work that is never petty, whatever it is written in
MIN_REPORTED_COMMON_SHARE = (
    0.05  # share of the evidence that was taken off for being common, from which the reasons say so
)


def resolve_sources(
    comparisons: Sequence[Comparison], formulae: StopFeatureShares = NO_STOP_FEATURES
) -> list[Comparison]:
    """The comparisons of one page with different works, each with what it amounts to in view of the others.

    What other works share, what is petty (`matcher.attribution.stock_text`), and forms that were filled in anew, accuse
    nobody; what remains is weighed by itself. So is a small passage that another work explains better. Where nothing
    is left, many sentences of different works accuse the work that most was taken from, with the reason that they are
    a compilation.
    """
    settled = list(comparisons)
    if any(comparison.accuse for comparison in comparisons):
        works = [
            _passages_of_work(comparison, [] if _is_all_stock_text(comparison) else _drop_forms(comparison))
            for comparison in comparisons
        ]
        left = remove_common_text(works, lambda number: formulae.in_both(comparisons[number].pair.work))
        settled = [_apply_remaining(one, passages) for one, passages in zip(comparisons, left, strict=True)]
    return settled if any(one.accuse for one in settled) else _mark_compilation(settled)


def _passages_of_work(comparison: Comparison, aligned: Sequence[AlignedPassage]) -> WorkPassages:
    pair = comparison.pair
    slight = [one.passage for one in aligned if comparison.accuse and is_technical_text(pair.work_text, one)]
    return WorkPassages(aligned, pair.work.codes, comparison.accuse, frozenset(slight))


def _mark_compilation(comparisons: list[Comparison]) -> list[Comparison]:
    """The same, where the page is compiled of them with that as their reason, and the first of them accused."""
    if not comparisons:
        return comparisons
    together = find_compilation([_passages_of_work(comparison, comparison.found) for comparison in comparisons])
    weight = sum(piece.weight for _, piece in together)
    for place, (number, piece) in enumerate(together):
        one = comparisons[number]
        verdict = one.pair.verdict([piece], one.calibration)[1]
        verdict = replace(
            verdict,
            accuse=not place,
            score=one.calibration.probability(weight),
            reasons=(*verdict.reasons, f"compilation:{len(together)}"),
        )
        comparisons[number] = replace(one, aligned=(piece,), verdict=verdict)
    return comparisons


def _drop_forms(comparison: Comparison) -> list[AlignedPassage]:
    return [one for one in comparison.found if not (comparison.accuse and comparison.pair.one_form(one))]


def _is_all_stock_text(comparison: Comparison) -> bool:
    """Whether all that a page shares with a work is petty, and little of the work."""
    pair = comparison.pair
    if not comparison.accuse or sum(one.agreeing for one in comparison.found) >= MIN_SUBSTANTIAL_SHARE * len(pair.work):
        return False
    return all(is_stock_text(pair.page_text, pair.work_text, one) for one in comparison.found)


def _apply_remaining(comparison: Comparison, left: Sequence[AlignedPassage]) -> Comparison:
    """The comparison by the passages that are left of it; where none is, it accuses nobody."""
    if not comparison.accuse:
        return comparison
    if not left:
        return replace(comparison, verdict=replace(comparison.verdict, accuse=False), common=comparison.aligned)
    aligned, verdict = comparison.aligned, comparison.verdict
    if not _are_same_passages(left, comparison.found):
        counted, verdict = comparison.pair.verdict(left, comparison.calibration)
        aligned = tuple(counted)
    places = {one.passage for one in aligned}
    common = tuple(one for one in comparison.aligned if one.passage not in places)
    taken_off = 1 - verdict.weight / sum(one.weight for one in comparison.aligned)
    if taken_off >= MIN_REPORTED_COMMON_SHARE:
        verdict = replace(verdict, reasons=(*verdict.reasons, f"common:{taken_off:.2f}"))
    return replace(comparison, aligned=aligned, verdict=verdict, common=common)


def _are_same_passages(some: Sequence[AlignedPassage], others: Sequence[AlignedPassage]) -> bool:
    """Whether these are the very same passages, none of them weighed anew."""
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))
