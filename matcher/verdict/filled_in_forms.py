"""Forms: texts that agree word for word and differ in their figures, each being filled in for a case of its own."""

import re
from collections.abc import Iterable, Iterator

from fingerprinter.letters import Letters
from matcher.alignment.align import Aligned

_DIGITS = "0-9０-９"
_NUMERALS = f"{_DIGITS}〇零一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟萬億兩貳參陸"
_RUN = rf"[{_NUMERALS}](?:[.．,，]?[{_NUMERALS}])*"
# Numbers of articles, chapters and items say where something stands, not what; digits beside Latin letters are names.
_FIGURE = re.compile(rf"(?<![A-Za-z第（(.．\n{_NUMERALS}]){_RUN}(?![A-Za-z、）)条條章节節款项項号號{_NUMERALS}])")
_RUNS = re.compile(_RUN)
_IDLE = frozenset("一二三四五六七八九十百千万两萬兩")  # alone they stand in words, too, and agree for nothing
_PLAIN = str.maketrans(
    "０１２３４５６７８９〇萬億兩貳參陸，．壹贰叁肆伍陆柒捌玖拾佰仟",
    "0123456789零万亿两二三六,.一二三四五六七八九十百千",
)
_VALUES = str.maketrans("零一二三四五六七八九两", "01234567892")
_SILENT = re.compile("[0.,十百千万亿]")  # what a figure written in the one way has, and in the other way not
_EDGE = 5  # letters before and behind a figure, of which one is the same in both texts
# A form:
_ALIKE = 0.9  # similarity; who retells a text changes more than its figures
_LONGEST = 3_000  # letters
_LEAST = 4  # figures that differ, ...
_APART = 120  # one in so many letters, ...
_SHARE = 0.25  # ... and so many of all
# A sentence of a form:
_SHORT = 80  # letters
_LIGHT = 60.0  # weight
_SAID = 2  # characters of a figure that only the page has; single digits are strewn in to hide a copy
_PAIR = 2  # figures that differ or that only the page has, more than are the same


def one_form(page_text: str, page: Letters, work_text: str, work: Letters, one: Aligned) -> bool:
    """Whether figures differ in a passage (dates, sums, rates, measures) where all around them is the same."""
    short = one.letters < _SHORT and one.weight < _LIGHT
    long = one.passage.similarity >= _ALIKE and one.letters <= _LONGEST
    if not (short or long) or not page.in_order or _verbatim(page_text, work_text, work, one):
        return False
    figures = list(_FIGURE.finditer(page_text, one.passage.page_start, one.passage.page_end))
    if len(figures) < (_PAIR if short else _LEAST):
        return False
    same = differing = idle = strewn = 0
    put_in: set[frozenset[str]] = set()  # the same one again and again (233333) fills no blank
    for mine, theirs in _compared(page_text, page, work_text, work, one, figures):
        equal = any(_equal(figure, other) for figure in mine for other in theirs)
        same += equal and not mine <= _IDLE
        differing += not equal and bool(theirs)
        idle += not equal and mine | theirs <= _IDLE
        said = max(map(len, mine), default=0) >= _SAID
        strewn += not theirs and not said
        if said and not theirs:
            put_in.add(frozenset(mine))
    others = differing + len(put_in)
    if strewn > others:
        return False
    if short and others >= _PAIR and others > same:
        return True
    return long and differing - idle >= max(_LEAST, one.letters / _APART, _SHARE * (same + differing))


def _verbatim(page_text: str, work_text: str, work: Letters, one: Aligned) -> bool:
    """Whether a passage is the same on both sides, to the character: then no figure differs."""
    if one.exact != one.letters or not work.in_order:
        return False
    place = one.passage
    return page_text[place.page_start : place.page_end] == work_text[place.work_start : place.work_end]


def _compared(
    page_text: str, page: Letters, work_text: str, work: Letters, one: Aligned, figures: Iterable[re.Match[str]]
) -> Iterator[tuple[set[str], set[str]]]:
    """Those of a passage's figures that stand between letters that agree, with those that the work has in their place;
    empty where it has none.
    """
    in_work = dict(one.agreed.tolist())
    behind_last = 0
    for figure in figures:
        first, behind = page.starts.searchsorted(figure.start()), page.starts.searchsorted(figure.end())
        before = next((at for at in range(first - 1, first - 1 - _EDGE, -1) if at in in_work), None)
        after = next((at for at in range(behind, behind + _EDGE) if at in in_work), None)
        if before is None or after is None or figure.start() < behind_last:
            continue
        behind_last = page.starts[after]
        mine = _figures(page_text[page.starts[before] + 1 : behind_last])
        yield mine, _figures(work_text[work.starts[in_work[before]] + 1 : work.starts[in_work[after]]])


def _figures(slot: str) -> set[str]:
    return {run[0].translate(_PLAIN) for run in _RUNS.finditer(slot)}


def _equal(one: str, other: str) -> bool:
    """Whether two figures say the same, be it 四 and 4 or 二十三 and 23."""
    return one in other or other in one or (one.isascii() != other.isascii() and _digits(one) == _digits(other))


def _digits(figure: str) -> str:
    leading = "1" if figure[0] == "十" else ""
    return leading + _SILENT.sub("", figure.translate(_VALUES))
