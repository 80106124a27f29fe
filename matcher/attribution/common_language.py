"""Recognize what two authors write alike because they tell facts of one kind: careers, species, notices, reports.

The customary wording of a kind agrees, and what each text tells differs: its figures and its names. A copy is the
reverse, as an edit seldom reaches the facts. Common language is therefore a passage in which the figures and the names
of the work are replaced by others. Figures are compared where they stand between agreeing initials. They are those in
digits, and the ordinals of terms and meetings, as classical works use other numerals loosely. Names are the places and
bodies of jieba's dictionary. A name that many texts have is no sign of a copy, so the dictionary's frequencies decide
which equal names count.
"""

import re
from collections.abc import Iterator
from functools import cache

import numpy as np

from fingerprinter.alphabet import Initials
from fingerprinter.words.segmenter import character_codes, word_spans
from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.stock_text import compare_figures, digit_figures
from matcher.model import Passage

_MAX_INITIALS = 1_000  # initials of a passage, as a longer one tells a whole story
_INITIALS_PER_FACT = 80  # most initials for each fact that differs
_SHORT_INITIALS = 100  # initials of a passage in which one other figure is enough
_MAX_SHORT_SIMILARITY = 0.9  # its similarity, as a single figure of a copy may be corrected
_MIN_OTHER_FACTS = 2.0  # figures and names that differ in a longer one
_MAX_SAME_SHARE = 0.34  # share of equal ones among all
_MIN_AGREEING_SHARE = 0.5  # share of a name's initials that agree, from which a name is the same
_NAME_TAGS = frozenset({"ns", "nt"})  # of places and bodies. Copies rename people, so their names prove nothing
_MIN_NAME_CHARACTERS = 2  # characters of a name, as single ones also stand in words
# An equal name is a fact up to this count in jieba's corpus and this length. Long names of bodies are customary.
_MAX_NAME_COUNT, _MAX_NAME_CHARACTERS = 2_000, 4
_MAX_NOISE_FACTOR = 1.25  # written letters and digits for each that is read: more were put in
_MIN_FIGURE_DIGITS = 2  # digits of a figure that is a whole fact
_SLIGHT_FACT = 0.5  # fact that a single digit or an ordinal is, as it may be equal or changed by chance
_SLIGHT_FIGURE = re.compile(r"(?<![0-9A-Za-z])[0-9](?![0-9A-Za-z])|(?<=第)[一二三四五六七八九十]{1,2}(?=[届屆期批次])")


def is_common_language(page_text: str, page: Initials, work_text: str, work: Initials, aligned: AlignedPassage) -> bool:
    """Whether a passage tells other facts in the same customary words."""
    if aligned.letters > _MAX_INITIALS or not (page.in_order and work.in_order):
        return False
    if _has_noise(page_text, page, aligned.passage):
        return False
    same, other = _count_figures(page_text, page, work_text, work, aligned)
    if not other:
        return False
    same_names, other_names = _count_names(work_text, work, aligned)
    same, other = same + same_names, other + other_names
    is_short = aligned.letters <= _SHORT_INITIALS and aligned.passage.similarity < _MAX_SHORT_SIMILARITY
    least = 1.0 if is_short else max(_MIN_OTHER_FACTS, aligned.letters / _INITIALS_PER_FACT)
    return other >= least and same <= _MAX_SAME_SHARE * (same + other)


def _has_noise(page_text: str, page: Initials, passage: Passage) -> bool:
    """Whether characters were put in between those of a passage. Then its figures are not what they seem."""
    first, behind = page.starts.searchsorted((passage.page_start, passage.page_end))
    written = sum(map(str.isalnum, page_text[passage.page_start : passage.page_end]))
    return bool(written > _MAX_NOISE_FACTOR * (behind - first))


def _count_figures(
    page_text: str, page: Initials, work_text: str, work: Initials, aligned: AlignedPassage
) -> tuple[float, float]:
    """Count the figures that both sides of a passage have, and the others of the side that has fewer.

    Single digits and ordinals are compared where they stand, as the same ones stand elsewhere by chance.
    """
    passage = aligned.passage
    mine = digit_figures(page_text, passage.page_start, passage.page_end)
    theirs = digit_figures(work_text, passage.work_start, passage.work_end)
    mine, theirs = ({figure for figure in side if len(figure) >= _MIN_FIGURE_DIGITS} for side in (mine, theirs))
    same = len(mine & theirs)
    slight = list(_SLIGHT_FIGURE.finditer(page_text, passage.page_start, passage.page_end))
    slots = {
        (tuple(sorted(page_figure)), tuple(sorted(work_figure)))
        for page_figure, work_figure in compare_figures(page_text, page, work_text, work, aligned, slight)
        if work_figure and len(min(*page_figure, *work_figure, key=len)) < _MIN_FIGURE_DIGITS
    }
    same_slight = sum(not set(page_figure).isdisjoint(work_figure) for page_figure, work_figure in slots)
    return (
        same + _SLIGHT_FACT * same_slight,
        min(len(mine), len(theirs)) - same + _SLIGHT_FACT * (len(slots) - same_slight),
    )


def _count_names(work_text: str, work: Initials, aligned: AlignedPassage) -> tuple[int, int]:
    """Count the work's names in a passage that the page has, and that it has not, each name once."""
    agrees = np.zeros(len(work) + 1, np.int64)
    agrees[aligned.agreed[:, 1] + 1] = 1
    agreeing = np.cumsum(agrees)
    same: set[str] = set()
    other: set[str] = set()
    for begin, end in _find_names(work_text, aligned.passage.work_start, aligned.passage.work_end):
        first, behind = work.starts.searchsorted(begin), work.starts.searchsorted(end)
        if behind > first:
            is_same = agreeing[behind] - agreeing[first] >= _MIN_AGREEING_SHARE * (behind - first)
            (same if is_same else other).add(work_text[begin:end])
    counts = _proper_nouns()
    facts = [name for name in same if len(name) <= _MAX_NAME_CHARACTERS and counts[name] <= _MAX_NAME_COUNT]
    return len(facts), len(other - same)


def _find_names(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the names in a span of a text, in code points."""
    names = _proper_nouns()
    begins, ends, _ = word_spans(character_codes(text[start:end]))
    for begin, behind in zip(begins.tolist(), ends.tolist(), strict=True):
        word = text[start + begin : start + behind]
        if word in names:
            yield start + begin, start + behind


@cache
def _proper_nouns() -> dict[str, int]:
    """Return the proper nouns of jieba's dictionary with their counts in its corpus."""
    import jieba

    with jieba.get_dict_file() as lines:
        fields = lines.read().decode().split()  # each line has a word, its count and its kind
    rows = zip(fields[::3], fields[1::3], fields[2::3], strict=True)
    return {word: int(count) for word, count, kind in rows if kind in _NAME_TAGS and len(word) >= _MIN_NAME_CHARACTERS}
