"""Find the places of a text where either of two readings may stand, and write a copy with the readings of its code."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.words.segmenter import character_codes, word_spans
from matcher.marking.choices import Choice, Choices, MarkKind, load_choices

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
