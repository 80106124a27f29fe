"""Represent the sentences of a text as vectors of terms, after Sanchez-Perez et al. (2014).

Terms are words of Latin and other letters, by their first letters in place of a stemmer, and pairs of Han characters,
as Chinese has no spaces. A term weighs by its count in a sentence and by its rarity among the sentences of both texts
(tf-isf). A sentence with few terms joins the next one.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.features.model import absorb_value, finalize_hash
from fingerprinter.words.segmenter import character_codes
from matcher.paraphrase.evidence import Portion
from matcher.paraphrase.plain_characters import PlainText

_STEM_CHARACTERS = 6  # first letters that tell a word
_MIN_SENTENCE_TERMS = 3  # terms of a sentence that stands alone
_TERM_SEED = 0x7465726D73

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SentenceText:
    """A text in n sentences. begins, ends: i64[n], plain characters. terms: u64, hashes. sentences: i64, of each term.

    offsets: i64, the plain character where each term begins.
    """

    text: PlainText
    begins: I64
    ends: I64
    terms: NDArray[np.uint64]
    sentences: I64
    offsets: I64

    def __len__(self) -> int:
        return len(self.begins)

    def sentence(self, number: int) -> Portion:
        """Return a sentence's plain characters."""
        return Portion(int(self.begins[number]), int(self.ends[number]))

    def words(self, number: int) -> dict[int, str]:
        """Return the words of a sentence by their terms, in their order."""
        first, behind = np.searchsorted(self.sentences, (number, number + 1)).tolist()
        terms, offsets = self.terms[first:behind].tolist(), self.offsets[first:behind].tolist()
        return {term: _word_at(self.text, offset) for term, offset in zip(terms, offsets, strict=True)}


class TermCounts(NamedTuple):
    """The terms of each sentence: bounds i64[n + 1] into terms i64 (numbers, ascending) and counts f64."""

    bounds: I64
    terms: I64
    counts: F64


class SentenceVectors(NamedTuple):
    """Two texts over the same terms. rarity: f64[term], logarithms of inverse shares of sentences."""

    page: TermCounts
    work: TermCounts
    rarity: F64


def split_sentences(text: PlainText) -> SentenceText:
    """Split a text into sentences and their terms."""
    terms, offsets = _find_terms(text.codes)
    begins = _sentence_begins(character_codes(text.text), offsets)
    ends = np.append(begins[1:], len(text))
    return SentenceText(text, begins, ends, terms, np.searchsorted(begins, offsets, "right") - 1, offsets)


def shared_words(page: SentenceText, work: SentenceText, mine: int, theirs: int) -> tuple[str, ...]:
    """Return the words that a sentence of the page shares with one of the work, as the page has them."""
    others = work.words(theirs)
    return tuple(word for term, word in page.words(mine).items() if term in others)


def _word_at(text: PlainText, offset: int) -> str:
    """Return the word that begins here, or the pair of Han characters."""
    if _is_han(text.codes[offset]):
        return text.text[offset : offset + 2]
    end = offset
    while end < len(text) and text.codes[end] and not _is_han(text.codes[end]):
        end += 1
    return text.text[offset:end]


def make_vectors(page: SentenceText, work: SentenceText) -> SentenceVectors:
    """Weigh the terms of two texts among all their sentences."""
    known, numbers = np.unique(np.concatenate([page.terms, work.terms]), return_inverse=True)
    first = _count_terms(page.sentences, numbers[: len(page.terms)], len(page), len(known))
    second = _count_terms(work.sentences, numbers[len(page.terms) :], len(work), len(known))
    sentences = np.bincount(np.concatenate([first.terms, second.terms]), minlength=len(known))
    return SentenceVectors(first, second, np.log((len(page) + len(work)) / np.maximum(1, sentences)))


def _count_terms(sentences: I64, numbers: I64, count: int, known: int) -> TermCounts:
    keys, counts = np.unique(sentences * known + numbers, return_counts=True)
    bounds = np.searchsorted(keys, np.arange(count + 1) * known)
    return TermCounts(bounds.astype(np.int64), keys % max(1, known), counts.astype(np.float64))


@compiled("b1(u4)")
def _is_han(code):  # type: ignore[no-untyped-def]  # compiled
    return 0x3400 <= code < 0xA000 or code >= 0x20000


@compiled("Tuple((u8[::1], i8[::1]))(u4[::1])")
def _find_terms(codes):  # type: ignore[no-untyped-def]  # compiled
    """Return the hash and the offset of each term. codes: `PlainText.codes`."""
    terms = np.empty(len(codes), np.uint64)
    offsets = np.empty(len(codes), np.int64)
    count = begin = 0
    while begin < len(codes):
        end = begin + 1
        if not codes[begin]:
            begin = end
            continue
        state = absorb_value(np.uint64(_TERM_SEED), np.uint64(codes[begin]))
        if _is_han(codes[begin]):
            if end == len(codes) or not codes[end] or not _is_han(codes[end]):
                begin = end
                continue
            state = absorb_value(state, np.uint64(codes[end]))
        else:
            while end < len(codes) and codes[end] and not _is_han(codes[end]):
                if end - begin < _STEM_CHARACTERS:
                    state = absorb_value(state, np.uint64(codes[end]))
                end += 1
        terms[count], offsets[count] = finalize_hash(state), begin
        count += 1
        begin = end
    return terms[:count].copy(), offsets[:count].copy()


@compiled("b1(u4[::1], i8)")
def _ends_sentence(codes, offset):  # type: ignore[no-untyped-def]  # compiled
    """Whether a sentence ends with this character. A full stop ends one before a space and after two letters."""
    code = codes[offset]
    if code in (0x3002, 0xFF01, 0xFF1F, 0xFF1B, 33, 63, 10):  # 。！？；!? and the end of a line
        return True
    if code != 46 or offset < 2 or offset + 1 == len(codes) or codes[offset - 2] in (32, 46):
        return False
    return codes[offset + 1] in (32, 9, 10, 13, 34, 39, 41, 0x201D)


@compiled("i8[::1](u4[::1], i8[::1])")
def _sentence_begins(codes, offsets):  # type: ignore[no-untyped-def]  # compiled
    """Return where sentences with enough terms begin. offsets: of the terms."""
    begins = np.zeros(len(codes) + 1, np.int64)
    count = 1
    term = first = 0
    for offset in range(len(codes) - 1):
        while term < len(offsets) and offsets[term] <= offset:
            term += 1
        if _ends_sentence(codes, offset) and term - first >= _MIN_SENTENCE_TERMS:
            begins[count], first = offset + 1, term
            count += 1
    if count > 1 and len(offsets) - first < _MIN_SENTENCE_TERMS:
        count -= 1
    return begins[:count].copy()
