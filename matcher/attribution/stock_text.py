"""Recognize stock text, named sources, and what two authors write alike because they tell facts of one kind.

Credits, farewells and quotations with their source accuse nobody. Code, lists of options, paths and English sentences
may be copied, but they accuse nobody where several works have them. Forms agree word for word and differ in their
figures, each filled in for its own case. A named source changes no verdict: `matcher.attribution.verdict` decides by
length what is a quotation.

Careers, species, notices and reports have a customary wording. It agrees, and what each text tells differs: its figures
and its names. A copy is the reverse, as an edit seldom reaches the facts. Common language is therefore a passage in
which the figures and the names of the work are replaced by others. Figures are compared where they stand between
agreeing initials. They are those in digits, and the ordinals of terms and meetings, as classical works use other
numerals loosely. Names are the places and bodies of jieba's dictionary. A name that many texts have is no sign of a
copy, so the dictionary's frequencies decide which equal names count.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache

import numpy as np

from fingerprinter.alphabet import Initials
from fingerprinter.words.segmenter import character_codes, word_spans
from matcher.alignment.local_alignment import AlignedPassage
from matcher.model import Passage

_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")
_COMMAND_OPTION = re.compile(r"\s{0,9}-{1,2}[A-Za-z][\w-]{0,40}\b")
_MENU_ARROW = re.compile(r"(?:→|➔|->|»|›|＞)")
_CREDIT = re.compile(
    r"(?:via|作者|译者|譯者|翻译|校对|校對|审校|选题|编辑|編輯|责编|排版|监制|来源|來源|原文(?:链接|地址)?|译自|编译|图片来源|转自)\s{0,2}[:：]|"
    r"本文由.{1,20}(?:编译|原创|推出|发布)"
)
_FAREWELL = re.compile(
    r"(?:感谢|谢谢).{0,6}(?:读|看|听)|欢迎.{0,14}(?:转|关注|订阅|留言|来信)|下(?:周|期|次|篇|回|个?月).{0,6}见|我是.{2,14}[，,。]|"
    r"以上就是|今天.{0,4}(?:到这里|全部内容)|如果你?(?:也)?喜欢|转给|点个(?:赞|在看)|公众号"
)
_MIN_FAREWELLS = 2  # farewells in one line
_MAX_LIST_LINE = 80  # characters of a line with options or a menu
_MAX_CREDIT_LINE = 140  # characters
_MAX_HAN_SHARE = 0.15  # share of Han characters below which a line is code, a path or English
_SAMPLED_LINE_SHARE = 0.3  # share of a line that is counted first
_MIN_STOCK_SHARE = 0.85  # share of a passage in stock lines, from which it is stock text
_MAX_STOCK_CHARACTERS = 400  # characters of a passage that can be stock text
_MAX_QUOTED_CHARACTERS = 100  # characters of a quotation
_MIN_NAMED_SHARE = 0.7  # share of the agreeing letters in names, from which a passage is only names
MAX_NAMES_WEIGHT = 45.0  # weight of all passages of names, above which a list was copied
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_NAME_PARTICLES = frozenset(("of", "and", "the", "for", "in", "on", "de", "at"))
# With its source before or behind it.
_SOURCED_QUOTATION = re.compile(
    rf"(?:《[^》\n]{{1,30}}》|引自|摘自|出自|语出|載|所载|记载)[^“”「」『』\n]{{0,24}}[“「『][^”」』\n]{{8,{_MAX_QUOTED_CHARACTERS}}}[”」』]|"
    rf"[“「『][^”」』\n]{{8,{_MAX_QUOTED_CHARACTERS}}}[”」』]\s{{0,2}}(?:——|—|[（(](?:引自|摘自|出自|见)?)\s{{0,2}}[^（(\n]{{0,12}}《[^》\n]{{1,30}}》"
)


def is_stock_text(page_text: str, work_text: str, aligned: AlignedPassage) -> bool:
    """Whether a passage is short, and credits, a farewell or a quotation with its source."""
    # The work shows the original text, as the page may be disguised.
    start, end = aligned.passage.work_start, aligned.passage.work_end
    if end - start > _MAX_STOCK_CHARACTERS:
        return False
    is_stock = _share_of_lines(work_text, start, end, _is_credit_or_farewell) >= _MIN_STOCK_SHARE
    return is_stock or _is_sourced_quotation(page_text, aligned.passage.page_start, aligned.passage.page_end)


def is_proper_names(work_text: str, work: Initials, aligned: AlignedPassage) -> bool:
    """Whether nearly all that agrees in a short passage in letters is names: bodies, places, titles."""
    start, end = aligned.passage.work_start, aligned.passage.work_end
    if aligned.han or end - start > _MAX_STOCK_CHARACTERS or not len(aligned.agreed):
        return False
    in_name = np.zeros(end - start, np.bool_)
    is_name = False
    for word in _LATIN_WORD.finditer(work_text, start, end):
        is_name = word[0].istitle() or (is_name and word[0] in _NAME_PARTICLES)
        in_name[word.start() - start : word.end() - start] = is_name
    places = work.starts[aligned.agreed[:, 1]].astype(np.int64) - start
    return bool(in_name[places[(places >= 0) & (places < end - start)]].mean() >= _MIN_NAMED_SHARE)


def is_technical_text(work_text: str, aligned: AlignedPassage) -> bool:
    """Whether a passage is code, program output, options, paths, menus, or English."""
    return (
        _share_of_lines(work_text, aligned.passage.work_start, aligned.passage.work_end, _is_technical_line)
        >= _MIN_STOCK_SHARE
    )


def _share_of_lines(text: str, start: int, end: int, kind: Callable[[str], bool]) -> float:
    """Share of a span in lines of a kind, without spaces."""
    whole = of_kind = 0
    line_start = text.rfind("\n", 0, start) + 1
    while line_start < end:
        line_end = text.find("\n", line_start)
        line_end = len(text) if line_end < 0 else line_end
        length = len("".join(text[max(line_start, start) : min(line_end, end)].split()))
        whole += length
        of_kind += length if kind(text[line_start:line_end]) else 0
        line_start = line_end + 1
    return of_kind / whole if whole else 0.0


def _is_credit_or_farewell(line: str) -> bool:
    if len(line) > _MAX_CREDIT_LINE:
        return False
    return _CREDIT.search(line) is not None or len(_FAREWELL.findall(line)) >= _MIN_FAREWELLS


def _is_technical_line(line: str) -> bool:
    if len(line) <= _MAX_LIST_LINE and (_COMMAND_OPTION.match(line) or len(_MENU_ARROW.findall(line)) > 1):
        return True
    plain = "".join(line.split())
    few = _MAX_HAN_SHARE * len(plain)
    # Most lines have enough Han characters at their beginning.
    return len(_HAN.findall(plain, 0, int(_SAMPLED_LINE_SHARE * len(plain)))) < few and len(_HAN.findall(plain)) < few


def _is_sourced_quotation(text: str, start: int, end: int) -> bool:
    """Whether nearly all of a span is a quotation that names its source."""
    begin = max(0, start - _MAX_QUOTED_CHARACTERS)
    for quotation in _SOURCED_QUOTATION.finditer(text[begin : end + _MAX_QUOTED_CHARACTERS]):
        both = min(begin + quotation.end(), end) - max(begin + quotation.start(), start)
        if both >= _MIN_STOCK_SHARE * (end - start):
            return True
    return False


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
    if not (short or long) or not page.in_order or _is_verbatim(page_text, page, work_text, work, aligned):
        return False
    figures = list(_FIGURE.finditer(page_text, aligned.passage.page_start, aligned.passage.page_end))
    if len(figures) < (_MIN_SURPLUS_FIGURES if short else _MIN_DIFFERENT_FIGURES):
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


_SOURCE_BEFORE = 80  # code points before a passage in which its source may be named
_SOURCE_AFTER = 60  # code points behind it
_QUOTATION_MARK_DISTANCE = 3  # code points between a quotation mark and the end of the passage
_SOURCE_PHRASE = re.compile(
    r"(?:来源|來源|出处|出處|转载自|轉載自|转自|轉自|摘自|选自|選自|引自|出自|节选自|節選自|原载|原載|编译自|編譯自|原文(?:链接|地址)?|作者|文)\s*[:：/／|｜]"
    r"|(?:转载自|轉載自|摘自|选自|選自|引自|出自|节选自|節選自|原载于?|原載於?)\s*[《“「『\w]"
    r"|据[^，。\n]{1,20}(?:报道|消息|介绍)|據[^，。\n]{1,20}(?:報道|報導|消息|介紹)"
    r"|(?:经|經)[^，。\n]{0,12}(?:授权|授權)(?:转载|轉載|发布|發布)"
    r"|[^，。\n]{1,20}(?:写道|寫道|指出|说过|說過)\s*[:：]"
)
_OPENING_MARKS, _CLOSING_MARKS = "“‘「『《>＞", "”’」』》"


def is_attributed(page: str, passage: Passage, *, title: str, author: str | None) -> bool:
    """Whether the page names a source beside the passage: a phrase such as 摘自, or the work's title or author."""
    before = page[max(0, passage.page_start - _SOURCE_BEFORE) : passage.page_start]
    after = page[passage.page_end : passage.page_end + _SOURCE_AFTER]
    names = [f"《{title}》", *([author] if author and len(author) > 1 else [])]
    return any(_names_source(beside) or any(name in beside for name in names) for beside in (before, after))


@lru_cache(maxsize=256)  # asked for each work that shares a sentence with the page
def _names_source(beside: str) -> bool:
    return _SOURCE_PHRASE.search(beside) is not None


def is_quoted(page: str, passage: Passage) -> bool:
    """Whether the passage stands between quotation marks."""
    opening = page[max(0, passage.page_start - _QUOTATION_MARK_DISTANCE) : passage.page_start + 1]
    closing = page[max(0, passage.page_end - 1) : passage.page_end + _QUOTATION_MARK_DISTANCE]
    return any(mark in opening for mark in _OPENING_MARKS) and any(mark in closing for mark in _CLOSING_MARKS)


def attribution_reasons(page: str, passages: Sequence[Passage], *, title: str, author: str | None) -> tuple[str, ...]:
    """Return message keys with the number of attributed passages, and of those also quoted, if any."""
    attributed = [passage for passage in passages if is_attributed(page, passage, title=title, author=author)]
    quoted = [passage for passage in attributed if is_quoted(page, passage)]
    figures = (("attributed", len(attributed)), ("quoted", len(quoted)))
    return tuple(f"{key}:{figure}" for key, figure in figures if figure)


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
