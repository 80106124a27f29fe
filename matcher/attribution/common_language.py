"""Recognize forms and common language: text of one kind that agrees, while what each text tells differs.

Forms agree word for word and differ in their figures, each filled in for its own case.

Careers, species, notices and reports have a customary wording. It agrees, and what each text tells differs: its figures
and its names. A copy is the reverse, as an edit seldom reaches the facts. Common language is therefore a passage in
which the figures and the names of the work are replaced by others. Figures are compared where they stand between
agreeing initials. They are those in digits, and the ordinals of terms and meetings, as classical works use other
numerals loosely. Names are the places and bodies of jieba's dictionary. A name that many texts have is no sign of a
copy, so the dictionary's frequencies decide which equal names count.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np

from fingerprinter.alphabet import Initials
from fingerprinter.words.segmenter import character_codes, word_spans
from matcher.alignment.local_alignment import AlignedPassage
from matcher.model import Passage

_DIGITS = "0-9０-９"
_NUMERALS = f"{_DIGITS}〇零一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟萬億兩貳參陸"
_NUMERAL_RUN = rf"[{_NUMERALS}](?:[.．,，]?[{_NUMERALS}])*"
# Numbers of articles, chapters and items are places, no figures. Digits beside Latin letters are names.
_FIGURE = re.compile(
    rf"(?<![A-Za-z第（(.．\n{_NUMERALS}]){_NUMERAL_RUN}(?![A-Za-z、）)条條章节節款项項号號{_NUMERALS}])"
)
_NUMERAL_RUNS = re.compile(_NUMERAL_RUN)
_IDLE_NUMERALS = frozenset(
    "一二三四五六七八九十百千万两萬兩"
)  # alone they also stand in words, so their agreement proves nothing
_PLAIN_NUMERALS = str.maketrans(
    "０１２３４５６７８９〇萬億兩貳參陸，．壹贰叁肆伍陆柒捌玖拾佰仟",
    "0123456789零万亿两二三六,.一二三四五六七八九十百千",
)
_DIGIT_VALUES = str.maketrans("零一二三四五六七八九两", "01234567892")
_SILENT_SIGNS = re.compile("[0.,十百千万亿]")  # signs that only one way of writing a figure has
_SLOT_EDGE = 5  # initials before and behind a figure, one of which must agree
# A form:
_MIN_FORM_SIMILARITY = 0.9  # similarity, as a retelling changes more than figures
_MAX_FORM_INITIALS = 3_000
_MIN_DIFFERENT_FIGURES = 4  # figures that differ
_INITIALS_PER_FIGURE = 120  # most initials for each of them
_MIN_DIFFERENT_SHARE = 0.25  # their share of all figures
# A sentence of a form:
_SHORT_FORM_INITIALS = 80
_MAX_LIGHT_WEIGHT = 60.0
_MIN_FIGURE_CHARACTERS = 2  # characters of a figure only on the page, as inserted single digits may hide a copy
_MIN_SURPLUS_FIGURES = 2  # figures that differ or are only on the page, which must also exceed the equal ones


def is_same_form(page_text: str, page: Initials, work_text: str, work: Initials, aligned: AlignedPassage) -> bool:
    """Whether figures differ in a passage (dates, sums, rates, measures) and the text around them agrees."""
    short = aligned.letters < _SHORT_FORM_INITIALS and aligned.weight < _MAX_LIGHT_WEIGHT
    long = aligned.passage.similarity >= _MIN_FORM_SIMILARITY and aligned.letters <= _MAX_FORM_INITIALS
    if not (short or long) or not page.in_order:
        return False
    figures = list(_FIGURE.finditer(page_text, aligned.passage.page_start, aligned.passage.page_end))
    if len(figures) < (_MIN_SURPLUS_FIGURES if short else _MIN_DIFFERENT_FIGURES):
        return False
    if _is_verbatim(page_text, page, work_text, work, aligned):
        return False
    same = differing = idle = strewn = 0
    put_in: set[frozenset[str]] = set()  # a set, as one repeated figure (233333) fills no blank
    for mine, theirs in compare_figures(page_text, page, work_text, work, aligned, figures):
        equal = any(_are_equal_figures(figure, other) for figure in mine for other in theirs)
        same += equal and not mine <= _IDLE_NUMERALS
        differing += not equal and bool(theirs)
        idle += not equal and mine | theirs <= _IDLE_NUMERALS
        has_figures = max(map(len, mine), default=0) >= _MIN_FIGURE_CHARACTERS
        strewn += not theirs and not has_figures
        if has_figures and not theirs:
            put_in.add(frozenset(mine))
    others = differing + len(put_in)
    if strewn > others:
        return False
    if short and others >= _MIN_SURPLUS_FIGURES and others > same:
        return True
    return long and differing - idle >= max(
        _MIN_DIFFERENT_FIGURES, aligned.letters / _INITIALS_PER_FIGURE, _MIN_DIFFERENT_SHARE * (same + differing)
    )


def _is_verbatim(page_text: str, page: Initials, work_text: str, work: Initials, aligned: AlignedPassage) -> bool:
    """Whether the letters of a passage are the same characters on both sides. Then no figure differs, though marks
    that were put in may cut it.
    """
    if aligned.exact != aligned.letters or not work.in_order:
        return False
    span = aligned.passage
    if page_text[span.page_start : span.page_end] == work_text[span.work_start : span.work_end]:
        return True
    return _read_characters(page_text, page, span.page_start, span.page_end) == _read_characters(
        work_text, work, span.work_start, span.work_end
    )


def _read_characters(text: str, letters: Initials, start: int, end: int) -> str:
    """Return the characters that the letters of a span stand for."""
    first, behind = letters.starts.searchsorted((start, end))
    places = zip(letters.starts[first:behind].tolist(), letters.ends[first:behind].tolist(), strict=True)
    return "".join(text[begin:stop] for begin, stop in places)


def compare_figures(
    page_text: str,
    page: Initials,
    work_text: str,
    work: Initials,
    aligned: AlignedPassage,
    figures: Iterable[re.Match[str]],
) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the figures of each slot between agreeing initials, of the page and of the work.

    The work's set is empty where it has no figure there.
    """
    in_work = dict(aligned.agreed.tolist())
    behind_last = 0
    for figure in figures:
        first, behind = page.starts.searchsorted(figure.start()), page.starts.searchsorted(figure.end())
        before = next((offset for offset in range(first - 1, first - 1 - _SLOT_EDGE, -1) if offset in in_work), None)
        after = next((offset for offset in range(behind, behind + _SLOT_EDGE) if offset in in_work), None)
        if before is None or after is None or figure.start() < behind_last:
            continue
        behind_last = page.starts[after]
        mine = _find_figures(page_text[page.starts[before] + 1 : behind_last])
        yield mine, _find_figures(work_text[work.starts[in_work[before]] + 1 : work.starts[in_work[after]]])


def _find_figures(slot: str) -> set[str]:
    return {run[0].translate(_PLAIN_NUMERALS) for run in _NUMERAL_RUNS.finditer(slot)}


def digit_figures(text: str, start: int, end: int) -> set[str]:
    """Return the figures in digits in a span of a text, without numbers of articles and items."""
    figures = (figure[0].translate(_PLAIN_NUMERALS) for figure in _FIGURE.finditer(text, start, end))
    return {_SILENT_SIGNS.sub("", figure) for figure in figures if figure[0].isdecimal()}


def _are_equal_figures(first: str, second: str) -> bool:
    """Whether two figures are equal, such as 四 and 4 or 二十三 and 23."""
    return (
        first in second
        or second in first
        or (first.isascii() != second.isascii() and _to_digits(first) == _to_digits(second))
    )


def _to_digits(figure: str) -> str:
    leading = "1" if figure[0] == "十" else ""
    return leading + _SILENT_SIGNS.sub("", figure.translate(_DIGIT_VALUES))


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
    counts = proper_nouns()
    facts = [name for name in same if len(name) <= _MAX_NAME_CHARACTERS and counts[name] <= _MAX_NAME_COUNT]
    return len(facts), len(other - same)


def _find_names(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the names in a span of a text, in code points."""
    names = proper_nouns()
    begins, ends, _ = word_spans(character_codes(text[start:end]))
    for begin, behind in zip(begins.tolist(), ends.tolist(), strict=True):
        word = text[start + begin : start + behind]
        if word in names:
            yield start + begin, start + behind


@cache
def proper_nouns() -> dict[str, int]:
    """Return the proper nouns of jieba's dictionary with their counts in its corpus."""
    import jieba

    kinds = {tag.encode() for tag in _NAME_TAGS}
    with jieba.get_dict_file() as lines:  # read line by line: all words at once would leave 50 MB in each process
        rows = [(word.decode(), int(count)) for word, count, kind in map(bytes.split, lines) if kind in kinds]
    return {word: count for word, count in rows if len(word) >= _MIN_NAME_CHARACTERS}
