"""Recognize a few customary words that two authors share, with other text between them.

The background is there on the first day: the frequencies of words in jieba's dictionary, in nats a character. They tell
everyday and official wording from the rarer words of literary and classical texts. Ordinary words alone prove nothing
against a copy, as a copied report has them too. So a passage must also be in pieces, each shorter than a quotation,
with other text of both sides between them. The edits of a copy leave longer pieces, or change single characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import DIGIT_0, LATIN_A, Initials
from fingerprinter.words.segmenter import character_codes, word_spans
from matcher.alignment.local_alignment import AlignedPassage

if TYPE_CHECKING:
    from matcher.attribution.align_pair import TextPair

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
