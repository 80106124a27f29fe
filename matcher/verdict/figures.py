"""Forms: texts that agree word for word and differ in their figures, each being filled in for a case of its own."""

import re

from fingerprinter.letters import Letters
from matcher.alignment.align import Aligned

_NUMERAL = "0-9０-９〇零一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟萬億兩貳參陸"
# Numbers of articles, chapters and items say where something stands, not what; digits beside Latin letters are names.
_FIGURE = re.compile(rf"(?<![A-Za-z第（(.．\n{_NUMERAL}])[{_NUMERAL}](?:[.．,，]?[{_NUMERAL}])*(?![A-Za-z、）)条條章节節款项項号號{_NUMERAL}])")
_SAME_PLACE = re.compile(rf"[{_NUMERAL}](?:[.．,，]?[{_NUMERAL}])*")
_EDGE = 2  # letters before and behind a figure, of which one is the same in both texts
_LONGEST = 3_000  # letters of a form, ...
_LEAST = 4  # figures that differ, ...
_APART = 120  # one in so many letters, ...
_SHARE = 0.25  # ... and so many of all, from which both texts are one form, filled in twice,
_ALIKE = 0.9  # where the rest is the same: who retells a text changes more than its figures
_PLAIN = str.maketrans("０１２３４５６７８９〇萬億兩貳參陸，．", "0123456789零万亿两贰叁陆,.")


def one_form(page_text: str, page: Letters, work_text: str, work: Letters, one: Aligned) -> bool:
    """Whether most figures of a passage differ where all around them is the same: dates, sums, rates, measures."""
    if one.passage.similarity < _ALIKE or one.letters > _LONGEST or not page.in_order:
        return False
    figures = list(_FIGURE.finditer(page_text, one.passage.page_start, one.passage.page_end))
    if len(figures) < _LEAST:
        return False
    in_work = dict(one.agreed.tolist())
    same = differing = 0
    starts = page.starts
    for figure in figures:
        first, behind = starts.searchsorted(figure.start()), starts.searchsorted(figure.end())
        before = next((at for at in range(first - 1, first - 1 - _EDGE, -1) if at in in_work), None)
        after = next((at for at in range(behind, behind + _EDGE) if at in in_work), None)
        if before is None or after is None:
            continue
        page_slot = page_text[starts[before] + 1 : starts[after]]
        work_slot = work_text[work.starts[in_work[before]] + 1 : work.starts[in_work[after]]]
        mine, theirs = _SAME_PLACE.search(page_slot), _SAME_PLACE.search(work_slot)
        if mine and theirs:
            equal = mine[0].translate(_PLAIN) == theirs[0].translate(_PLAIN)
            same += equal
            differing += not equal
    return differing >= max(_LEAST, one.letters / _APART, _SHARE * (same + differing))
