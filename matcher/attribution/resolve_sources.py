"""Resolve which works a page is attributed to, among all that share text with it.

A whole sentence of one work on a page is a quotation. Sentences of many works together are a compilation. A few
customary words that two authors share, with other text between them, accuse nobody. Passages between which a page
shortens a work are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import DIGIT_0, LATIN_A, Initials
from fingerprinter.words.segmenter import character_codes, word_spans
from matcher.alignment.agreement import degree_of_change
from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.align_pair import Comparison, TextPair
from matcher.attribution.explained_text import subtract_common_texts
from matcher.attribution.stock_text import MAX_NAMES_WEIGHT, is_proper_names, is_stock_text, is_technical_text
from matcher.attribution.text_of_several_works import LetterSharing, WorkPassages, remove_common_text
from matcher.attribution.text_on_many_pages import StoredPages, discount_page_text
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS
from matcher.model import Passage
from matcher.retrieval.ranking import NO_STOP_FEATURES, StopFeatureShares

_MAX_PUT_IN, _MAX_LEFT_OUT = 30, 64  # code points between two passages, on the page and in the work

Gap = tuple[int, int]


def join_abridged(passages: Iterable[AlignedPassage]) -> tuple[AlignedPassage, ...]:
    """Join neighbours between which the page shortens the work. passages: in the order of the page."""
    joined: list[AlignedPassage] = []
    for passage in passages:
        if joined and _is_abridged(joined[-1], passage):
            joined[-1] = _merge(joined[-1], passage)
        else:
            joined.append(passage)
    return tuple(joined)


def _is_abridged(first: AlignedPassage, second: AlignedPassage) -> bool:
    """Whether little lies between two passages on either side. What is longer than the shorter one is no clause."""
    if first.out_of_order or second.out_of_order:
        return False
    put_in = second.passage.page_start - first.passage.page_end
    left_out = second.passage.work_start - first.passage.work_end
    return 0 <= put_in <= _MAX_PUT_IN and 0 <= left_out <= min(_MAX_LEFT_OUT, first.letters, second.letters)


def _merge(first: AlignedPassage, second: AlignedPassage) -> AlignedPassage:
    """Return one passage of two. Its figures are those of both, over the text between them too."""
    a, b = first.passage, second.passage
    page_gap, work_gap = (a.page_end, b.page_start), (a.work_end, b.work_start)
    between = [end - start for start, end in (page_gap, work_gap)]
    sizes = [_size(each) for each in (first, second)]
    size = sum(sizes) + sum(between)

    def mean(values: tuple[float | None, float | None]) -> float:
        return sum((value or 0.0) * of for value, of in zip(values, sizes, strict=True)) / size

    agreeing, exact = first.agreeing + second.agreeing, first.exact + second.exact
    letters = first.letters + second.letters + min(between)
    similarity = mean((a.similarity, b.similarity))
    passage = Passage(
        page_start=a.page_start,
        page_end=b.page_end,
        work_start=a.work_start,
        work_end=b.work_end,
        similarity=similarity,
        change=degree_of_change(similarity, agreeing / letters, exact / max(1, agreeing)),
        same_characters=mean((a.same_characters, b.same_characters)),
        variants=mean((a.variants, b.variants)),
        same_sound=mean((a.same_sound, b.same_sound)),
        page_gaps=_join_gaps(a.page_gaps, page_gap, b.page_gaps),
        work_gaps=_join_gaps(a.work_gaps, work_gap, b.work_gaps),
        page_characters=_add(a.page_characters, b.page_characters),
        work_characters=_add(a.work_characters, b.work_characters),
    )
    return AlignedPassage(
        passage,
        first.weight + second.weight,
        letters,
        agreeing,
        exact,
        max(first.longest_run, second.longest_run),
        first.han and second.han,
        agreed=np.concatenate((first.agreed, second.agreed)),
        backing=max(first.backing, second.backing, first.weight + second.weight),
    )


def _size(aligned: AlignedPassage) -> float:
    """Return the initials of both sides of a passage."""
    similarity = aligned.passage.similarity
    return 2 * aligned.agreeing / similarity if similarity else 2.0 * aligned.letters


def _join_gaps(before: tuple[Gap, ...], between: Gap, behind: tuple[Gap, ...]) -> tuple[Gap, ...]:
    return (*before, *((between,) if between[0] < between[1] else ()), *behind)


def _add(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


_MAX_WEIGHT = 42.0  # weight of all passages, above which they tell more than customary words
_MAX_WORK_SHARE = 0.5  # share of a work that is no mere phrase of it
_MIN_REPLACED = 4  # initials that differ on either side between two pieces
_MIN_REORDERED_SHARE = 0.7  # share of same characters between two pieces, from which words only changed places
_MAX_PIECE_INITIALS = 30  # initials of the longest piece
_MAX_NATS = 6.2  # nats a character of ordinary words; those of classical texts have 6.6 and more
_UNKNOWN_NATS = 12.0  # nats of a word that the dictionary lacks
_MAX_LATIN = 1  # Latin letters that agree, as terms and names of products are facts
_FIRST_HAN = 0x3400


def is_customary(pair: TextPair, passages: Sequence[AlignedPassage]) -> bool:
    """Whether passages are pieces of ordinary words, and no more. passages: all that the pair shares."""
    work_text, work = pair.work_text, pair.work
    if sum(passage.weight for passage in passages) >= _MAX_WEIGHT:
        return False
    if sum(passage.agreeing for passage in passages) >= _MAX_WORK_SHARE * len(work):
        return False
    return all(
        _is_in_pieces(pair, passage) and not _has_latin_words(work, passage) and _is_ordinary(work_text, passage)
        for passage in passages
    )


def _has_latin_words(work: Initials, aligned: AlignedPassage) -> bool:
    codes = work.codes[aligned.agreed[:, 1]]
    return int(((codes >= LATIN_A) & (codes < DIGIT_0)).sum()) > _MAX_LATIN


def _is_in_pieces(pair: TextPair, aligned: AlignedPassage) -> bool:
    """Whether other text on both sides cuts a passage into pieces, of which none is long.

    The same characters in another order are moved words of a copy, and no other text.
    """
    if not aligned.han or len(aligned.agreed) < 2:
        return False
    agreed = aligned.agreed[np.argsort(aligned.agreed[:, 0], kind="stable")]
    cuts = np.flatnonzero((np.diff(agreed, axis=0) > _MIN_REPLACED).all(axis=1)) + 1
    cuts = np.array([cut for cut in cuts.tolist() if not _is_reordered(pair, agreed[cut - 1], agreed[cut])], np.int64)
    if not len(cuts):
        return False
    begins, ends = agreed[np.append(0, cuts)], agreed[np.append(cuts - 1, len(agreed) - 1)]
    return bool((np.abs(ends - begins).min(axis=1) + 1).max() < _MAX_PIECE_INITIALS)


def _is_reordered(pair: TextPair, before: NDArray[np.int32], behind: NDArray[np.int32]) -> bool:
    """Whether both sides have mostly the same characters between two pairs of agreeing initials."""
    on_page = _characters_between(pair.page_text, pair.page, int(before[0]), int(behind[0]))
    in_work = _characters_between(pair.work_text, pair.work, int(before[1]), int(behind[1]))
    same = (on_page & in_work).total()
    return same >= _MIN_REORDERED_SHARE * min(on_page.total(), in_work.total())


def _characters_between(text: str, initials: Initials, before: int, behind: int) -> Counter[str]:
    return Counter(text[start] for start in initials.starts[before + 1 : behind].tolist())


def _is_ordinary(work_text: str, aligned: AlignedPassage) -> bool:
    """Whether the words of a passage are ordinary."""
    codes = character_codes(work_text[aligned.passage.work_start : aligned.passage.work_end])
    begins, ends, logs = word_spans(codes)
    is_han = codes[begins] >= _FIRST_HAN
    nats = np.where(logs[is_han] < 0, -logs[is_han], _UNKNOWN_NATS).sum()
    return bool(nats < _MAX_NATS * (ends - begins)[is_han].sum())


MIN_COMPILED_WORKS = 5  # works with a sentence each on a page, from which a person should decide
_MIN_SENTENCE_INITIALS = 30
_MIN_EXACT_SHARE = 0.97  # share of these that are the same characters
_MIN_OWN_SHARE = 0.999  # share of the sentence that is the work's own


def find_compilation(works: Sequence[WorkPassages]) -> list[tuple[int, AlignedPassage]]:
    """Return the works of which a page is compiled with the sentence of each, the longest first, if enough.

    Text of several works, and sentences that overlap on the page, count once at most.
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
    for number, piece in sorted(own, key=lambda item: (-item[1].weight, item[0])):
        if number not in chosen and not any(_overlaps(piece, other) for other in chosen.values()):
            chosen[number] = piece
    return list(chosen.items()) if len(chosen) >= MIN_COMPILED_WORKS else []


def _is_exact_sentence(piece: AlignedPassage) -> bool:
    return piece.letters >= _MIN_SENTENCE_INITIALS and piece.exact >= _MIN_EXACT_SHARE * piece.letters


def _count_disjoint(pieces: Iterable[AlignedPassage]) -> int:
    """Count the most pieces of which none overlaps another. Sentences that many works share give few."""
    count = reach = 0
    for end, start in sorted((piece.passage.page_end, piece.passage.page_start) for piece in pieces):
        if start >= reach:
            count, reach = count + 1, end
    return count


def _overlaps(piece: AlignedPassage, other: AlignedPassage) -> bool:
    a, b = piece.passage, other.passage
    return a.page_start < b.page_end and b.page_start < a.page_end


MIN_SUBSTANTIAL_SHARE = 0.5  # share of a work that is never stock text
MIN_REPORTED_COMMON_SHARE = 0.05  # share of the evidence discounted as common text, from which the reasons state it


def resolve_sources(
    comparisons: Sequence[Comparison],
    stop_features: StopFeatureShares = NO_STOP_FEATURES,
    common_texts: Sequence[Comparison] = (),
    pages: StoredPages | None = None,
) -> list[Comparison]:
    """Return the comparisons of one page with different works, each with its verdict beside the others.

    Common text, stock text (`matcher.attribution.stock_text`) and newly filled forms accuse nobody. The rest is weighed
    by itself, and a small passage that another work explains better is removed. If nothing remains, many sentences of
    different works accuse the work with the most copied text, with the reason that they are a compilation. At last,
    passages between which the page shortens the work are joined.

    common_texts: comparisons of the page with registered common texts. What they explain is removed first. pages: the
    stored pages. What many unrelated ones have weighs less.
    """
    if common_texts:
        comparisons = [_remove_explained(comparison, common_texts) for comparison in comparisons]
    resolved = list(comparisons)
    if any(comparison.accuse for comparison in comparisons):
        works = [
            _passages_of_work(comparison, [] if _is_all_stock_text(comparison) else _drop_forms(comparison))
            for comparison in comparisons
        ]
        remaining = remove_common_text(works, lambda number: stop_features.in_both(comparisons[number].pair.work))
        resolved = [
            _apply_remaining(comparison, _drop_common_language(comparison, passages, pages))
            for comparison, passages in zip(comparisons, remaining, strict=True)
        ]
    if not any(comparison.accuse for comparison in resolved):
        return _mark_compilation(resolved)
    return [
        comparison.with_verdict(join_abridged(comparison.aligned), comparison.verdict)
        if comparison.accuse
        else comparison
        for comparison in resolved
    ]


def _passages_of_work(comparison: Comparison, aligned: Sequence[AlignedPassage]) -> WorkPassages:
    pair = comparison.pair
    slight = [
        passage.passage for passage in aligned if comparison.accuse and is_technical_text(pair.work_text, passage)
    ]
    return WorkPassages(aligned, pair.work.codes, comparison.accuse, frozenset(slight), pair.shortest)


def _mark_compilation(comparisons: list[Comparison]) -> list[Comparison]:
    """Accuse the first work of a compilation, and give all its works that reason."""
    if not comparisons:
        return comparisons
    pieces = find_compilation([_passages_of_work(comparison, comparison.found) for comparison in comparisons])
    weight = sum(piece.weight for _, piece in pieces)
    for rank, (number, piece) in enumerate(pieces):
        comparison = comparisons[number]
        verdict = comparison.pair.verdict([piece], comparison.calibration)[1]
        verdict = replace(
            verdict,
            accuse=not rank,
            score=comparison.calibration.probability(weight),
            reasons=(*verdict.reasons, f"compilation:{len(pieces)}"),
        )
        comparisons[number] = comparison.with_verdict([piece], verdict)
    return comparisons


def _remove_explained(comparison: Comparison, common_texts: Sequence[Comparison]) -> Comparison:
    """Return the comparison by what no common text explains. Where nothing remains, it accuses nobody."""
    pair = comparison.pair
    remaining, explained = subtract_common_texts(
        pair.page_text,
        pair.page,
        pair.work_text,
        pair.work,
        comparison.found,
        [text.found for text in common_texts],
    )
    if not explained:
        return comparison
    if not remaining:
        left = comparison.with_verdict(comparison.aligned, replace(comparison.verdict, accuse=False))
    else:
        left = comparison.with_verdict(*pair.verdict(remaining, comparison.calibration))
    return replace(left, found=tuple(remaining), explained=tuple(explained))


def _drop_forms(comparison: Comparison) -> list[AlignedPassage]:
    return [
        passage for passage in comparison.found if not (comparison.accuse and comparison.pair.is_same_form(passage))
    ]


def _drop_common_language(
    comparison: Comparison, passages: Sequence[AlignedPassage], pages: StoredPages | None
) -> list[AlignedPassage]:
    """Return the passages that are no common language. Dropped earlier, they would not show what works share."""
    pair = comparison.pair
    if not comparison.accuse:
        return list(passages)
    left = [passage for passage in passages if not pair.is_common_language(passage)]
    is_phrase = pair.shortest >= MAX_QUOTATION_INITIALS and is_customary(pair, left)
    if is_phrase or pages is None:
        return [] if is_phrase else left
    return list(discount_page_text(pair, left, pages))


def _is_all_stock_text(comparison: Comparison) -> bool:
    """Whether all that a page shares with a work is stock text, and little of the work."""
    pair = comparison.pair
    if not comparison.accuse or sum(passage.agreeing for passage in comparison.found) >= MIN_SUBSTANTIAL_SHARE * len(
        pair.work
    ):
        return False
    has_names_only = sum(passage.weight for passage in comparison.found) <= MAX_NAMES_WEIGHT
    return all(
        is_stock_text(pair.page_text, pair.work_text, passage)
        or (has_names_only and is_proper_names(pair.work_text, pair.work, passage))
        for passage in comparison.found
    )


def _apply_remaining(comparison: Comparison, remaining: Sequence[AlignedPassage]) -> Comparison:
    """Return the comparison by its remaining passages. Without any, it accuses nobody."""
    if not comparison.accuse:
        return comparison
    if not remaining:
        return replace(comparison, accuse=False, common=comparison.aligned)
    aligned, verdict = comparison.aligned, comparison.verdict
    if not _are_same_passages(remaining, comparison.found):
        counted, verdict = comparison.pair.verdict(remaining, comparison.calibration)
        aligned = tuple(counted)
    counted_passages = {passage.passage for passage in aligned}
    common = tuple(passage for passage in comparison.aligned if passage.passage not in counted_passages)
    discount = 1 - verdict.weight / sum(passage.weight for passage in comparison.aligned)
    if discount >= MIN_REPORTED_COMMON_SHARE:
        verdict = replace(verdict, reasons=(*verdict.reasons, f"common:{discount:.2f}"))
    return replace(comparison.with_verdict(aligned, verdict), common=common)


def _are_same_passages(first: Sequence[AlignedPassage], second: Sequence[AlignedPassage]) -> bool:
    """Whether these are the very same passages, none of them weighed anew."""
    return len(first) == len(second) and all(passage is other for passage, other in zip(first, second, strict=True))
