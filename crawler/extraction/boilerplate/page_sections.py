"""Judge sections of a page by their class names, ids and headings."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from crawler.extraction.boilerplate.dated_rows import is_time_line, strip_digits
from crawler.extraction.boilerplate.line_classification import is_dated_line, is_running_text, select_prose
from crawler.extraction.page_lines import HEADING_TAGS, Element, PageBlocks, TextLine, element_ends

PART_HEADING = re.compile(
    r"^[\s▎■●|【\[]*(?:(?:推荐|相关|延伸|热门|精选|更多|猜你喜欢|最新|精彩|热点|今日|本周|大家都在看|编辑)"
    r"(?:\s?[·•・|｜/]\s?)?(?:阅读|推荐|新闻|文章|报道|资讯|内容|主题帖|帖子|图集|图片|精彩|排行|热点|热搜|要闻|评论|小说|作品|稿件|链接|解读|博文)|"
    r"猜你喜欢|你?可能(?:还|也)?(?:会)?(?:感兴趣|喜欢).{0,4}|大家都在看|看过本文的人还看了|"
    r"(?:网友|读者|用户|新闻|全部|热门|最新|精彩)(?:评论|留言|点评)(?:列表)?|评论(?:列表|\s*[\[（(]?(?:发评论|抢沙发|\d+)[\]）)]?)|评论区|(?:发表|添加新?|我要)(?:评论|留言)|"
    r"(?:全部|已有|共有?)?\s*\d+\s*条(?:评论|回复|留言)|"
    r"related (?:articles|posts|stories|reading)|comments|recommended(?: for you)?)[\s:：】\]]*(?:[(（]\d+[)）])?$",
    re.IGNORECASE,
)
READER_HEADING = re.compile(r"评论|留言|点评|回复|帖|comments", re.IGNORECASE)
_COMMENT_HEADING = re.compile(r"评论|留言|点评|comments", re.IGNORECASE)  # headings over forum posts are different
MAX_PART_HEADINGS = 20  # of a page
_MIN_TEXT_BESIDE_REPLIES = 80  # characters of running text that a page must have beside its replies
_MIN_REPLY_SIGNS = 2  # besides the heading, if the replies are longer than the text
_MIN_REPLY_TIMES = 3  # lines that state a time
_MIN_REPLY_ROWS = 3  # of one kind
_ROW_TAGS = frozenset(("li", "dd", "tr", "article"))
MAX_HEADING_CHARACTERS = 16  # characters of such a heading


def strip_further_reading(lines: Sequence[TextLine], elements: Sequence[Element]) -> list[TextLine]:
    """Return the lines without the sections under such headings. At least half of the lines stay.

    A section reaches to the end of the smallest element around its heading that holds more than the heading. Prose in
    it stays, except for reader comments. All sections together may exceed what stays if each is mostly links and
    follows the prose: with the heading these are three signs.
    """
    headings = [place for place, line in enumerate(lines) if is_part_heading(line.text)]
    kept = list(lines)
    if not headings:
        return kept
    ends = element_ends(elements)
    whole = sum(len(line.text) for line in lines)
    for place in headings[:MAX_PART_HEADINGS]:
        part = _part_lines(lines, elements, ends, place)
        if not READER_HEADING.search(lines[place].text):
            prose = set(map(id, select_prose(part)))
            part = [part_line for part_line in part if id(part_line) not in prose]
        gone = set(map(id, part))
        rest = [part_line for part_line in kept if id(part_line) not in gone]
        left = sum(len(part_line.text) for part_line in rest)
        if 2 * sum(len(part_line.text) for part_line in part) < whole and (
            2 * left >= whole or _is_further_reading(lines[:place], part)
        ):
            kept = rest
    return kept


def _is_further_reading(before: Sequence[TextLine], part: Sequence[TextLine]) -> bool:
    """Tell whether a section is mostly links and follows prose."""
    linked = sum(line.linked for line in part)
    return 2 * linked > sum(len(line.text) for line in part) and any(map(is_running_text, before))


def find_replies(blocks: PageBlocks, headings: Sequence[int]) -> set[int]:
    """Return the elements that hold only reader comments on the page, according to a heading over them.

    headings: the lines that satisfy `is_part_heading`. A heading alone is not enough, because a count of comments may
    be above the article. It needs one more sign, and two if the replies are longer than the text that they are about.
    """
    headings = [place for place in headings if _COMMENT_HEADING.search(blocks.lines[place].text)]
    if not headings:
        return set()
    elements, ends = set[int](), element_ends(blocks.elements)
    running = [len(line.text) if is_running_text(line) else 0 for line in blocks.lines]
    whole = sum(running)
    for place in headings[:MAX_PART_HEADINGS]:
        before = {line.element for line in blocks.lines[:place]}
        part = {line.element for line in _part_lines(blocks.lines, blocks.elements, ends, place)} - before
        taken = sum(length for length, line in zip(running, blocks.lines, strict=True) if line.element in part)
        left = whole - taken
        signs = _count_reply_signs(blocks, part, sum(running[:place]))
        if left >= _MIN_TEXT_BESIDE_REPLIES and signs >= (1 if taken <= left else _MIN_REPLY_SIGNS):
            elements |= part
    return elements


def _count_reply_signs(blocks: PageBlocks, part: set[int], before: int) -> int:
    """Count three signs that a section holds replies.

    It follows prose, it has names or times, and it consists of rows. before: characters of running text before it.
    """
    elements = blocks.elements
    if any(elements[number].tag == "h1" for number in part):
        return 0  # the title of the page
    lines = [line for line in blocks.lines if line.element in part]
    times = sum(is_time_line(line.text) for line in lines)
    named = times >= _MIN_REPLY_TIMES or _is_most_text(
        lines, [line for line in lines if _is_in_comments(elements, line)]
    )
    return (before >= _MIN_TEXT_BESIDE_REPLIES) + named + _has_reply_rows(elements, lines)


def _is_most_text(lines: Sequence[TextLine], section: Sequence[TextLine]) -> bool:
    return 2 * sum(len(line.text) for line in section) > sum(len(line.text) for line in lines)


def _is_in_comments(elements: Sequence[Element], line: TextLine) -> bool:
    number = line.element
    while number:
        if COMMENT_WORD.search(elements[number].label):
            return True
        number = elements[number].parent
    return False


def _has_reply_rows(elements: Sequence[Element], lines: Sequence[TextLine]) -> bool:
    """Tell whether a section is mostly rows of one kind, each a short line and a body, without a heading."""
    rows: defaultdict[int, list[TextLine]] = defaultdict(list)
    for line in lines:
        number = line.element
        while number:
            rows[number].append(line)
            number = elements[number].parent
    kinds: defaultdict[tuple[int, str, str], list[list[TextLine]]] = defaultdict(list)
    for number, row in rows.items():
        headed = any(elements[line.element].tag in HEADING_TAGS for line in row)
        if len(row) > 1 and not headed and not is_running_text(row[0]):
            element = elements[number]
            kinds[element.parent, element.tag, strip_digits(element.label)].append(row)
    return any(
        len(alike) >= _MIN_REPLY_ROWS and _is_most_text(lines, [line for row in alike for line in row])
        for alike in kinds.values()
    )


def is_part_heading(text: str) -> bool:
    """Tell whether a line is the heading of such a section."""
    return len(text) <= MAX_HEADING_CHARACTERS and PART_HEADING.match(text) is not None


def _part_lines(
    lines: Sequence[TextLine], elements: Sequence[Element], ends: Sequence[int], place: int
) -> list[TextLine]:
    around, behind = lines[place].element, lines[place + 1 : place + 2]
    # The next candidate is in the smallest element that holds more, or behind it.
    while around and not any(around <= line.element < ends[around] for line in behind):
        around = elements[around].parent
    return [line for line in lines[place:] if around <= line.element < ends[around]]


# Boilerplate sections by their own labels: class, id, tag, or a style that hides them.


# Words of a class or id that mark boilerplate. They are grouped by first letters, so that the regex engine skips most
# positions of a label at once.
UNLIKELY_LABEL = re.compile(
    r"a(?:side|dvert|(?<=\ba)ds?\b|(?<=\ba)d[-_]|mbox|rticle-?tags?\b|uthor-?(?:box|bio|info|card|desc)|uthi|"
    r"bout-?(?:the-?)?author|uthor-?(?:about|text|meta|name|details?)\b|(?<=\ba)uthors?\b)|"
    r"b(?:readcrumb|anner)|"
    r"c(?:omment(?!a|ed)|rumb|arousel|opyright|ookie|onsent|omplementary|(?<=(?<![\w-])c)aption(?![\w-])|"
    r"aption-text)|"
    r"d(?:isqus|eclare|isclaimer|onat(?:e|ion))|"
    r"e(?<=(?<![\w-])e)ditor(?![\w-])|"
    r"f(?:ooter|oot\b|unction-?bar|igure[-_]?caption|oto[-_]?caption)|"
    r"guestbook|"
    r"hot-?(?:list|news|word)|"
    r"i(?:mage[-_]?caption|mg[-_]?caption)|"
    r"l(?:iuyan|ogin|egal-?notice)|"
    r"m(?:ore-(?:news|articles|posts)|odal|edia[-_]?caption|ost-?(?:read|viewed|popular))|"
    r"n(?:avbar|(?<=\bn)av\b|ewsletter|avbox|oprint|av-?(?:header|footer|box|links?)|avigation|ext-?(?:article|"
    r"post|up)\b)|"
    r"p(?:inglun|agination|ager|(?<=\bp)ages?nav|opup|(?<=\bp)ls\b|ost-(?:nav|near|tags|copyright|cc)\b|"
    r"hoto[-_]?caption|icture[-_]?caption|aywall)|"
    r"qr-?code|"
    r"r(?:epl(?:y|ies)[-_]?(?:list|item|box|area|content)|ecommend|elated|elevant|ank(?:ing|list)?\b)|"
    r"s(?:idebar|ide-bar|idenav|lider|wiper|hare|ocial|ubscri(?:be|ption)|kip-?link|tatement)|"
    r"t(?:oolbar|uijian|easer|ag-?(?:list|cloud|box)|rending)|"
    r"u(?:ser-notification|ser-?(?:info|card|panel)|p-?next)|"
    r"w(?:idget-(?:area|col|title)|p-caption)|"
    r"x(?:iangguan|gxw|gyd)|"
    r"[-_]ad\b|[-_ ]cta\b"
)
NO_WORDS: frozenset[str] = frozenset()
WRAPPER_TAGS = frozenset(("html", "body", "article", "main"))  # themes put arbitrary words into their classes
COMMENT_WORD = re.compile(r"comment(?!a|ed)|pinglun|disqus|repl|guestbook|liuyan")
UNLIKELY_TAGS = frozenset(
    ("nav", "footer", "aside", "header", "dialog", "noscript", "textarea", "text", "figcaption", "form")
)
MAX_REMOVED_SHARE = 0.5  # share of the page's running text that labels may not remove
MIN_TEXT_BESIDE_COMMENTS = 80.0  # characters of running text; if comments leave less, they are the page's text


def find_unlikely_words(blocks: PageBlocks, running: Sequence[float]) -> list[frozenset[str]]:
    """Return for every element the words on it or its ancestors that mark it as boilerplate.

    `running` is the running text directly in each element. A word does not count if it would remove most of the page,
    as on the wrapper `page-with-sidebar`. Comments may be longer than the text that they are about. Then two more signs
    must confirm them, and more than next to nothing must remain, unlike in a forum.
    """
    elements = blocks.elements
    held = sum_subtrees(elements, running)
    total = held[0]
    least = MAX_REMOVED_SHARE * total
    most = {True: max(least, total - MIN_TEXT_BESIDE_COMMENTS), False: least}  # by whether a word marks comments
    above: list[frozenset[str]] = []  # the words that would remove an element
    taken: defaultdict[frozenset[str], float] = defaultdict(float)  # by these words: the running text that they remove
    for element, amount, own in zip(elements, held, running, strict=True):
        words = above[element.parent] if above else NO_WORDS
        if not (element.label or element.hidden or element.tag in UNLIKELY_TAGS):
            pass
        elif names := _label_words(element.tag, element.label, element.hidden):
            words = (
                _join_words(words, names)
                if amount < most[False]
                else words.union(word for word in names if amount < most[_is_comment_word(word)])
            )
        above.append(words)
        if words and own:
            taken[words] += own
    doubted = _doubted_words(taken, most)
    for word in _comment_words_over(taken, least) - doubted:
        if not _are_replies(blocks, {number for number, words in enumerate(above) if word in words}):
            doubted.add(word)
    return [NO_WORDS if words and words <= doubted else words for words in above] if doubted else above


def _doubted_words(taken: Mapping[frozenset[str], float], most: Mapping[bool, float]) -> set[str]:
    """Return the words that would remove too much of the page."""
    each: defaultdict[str, float] = defaultdict(float)
    for words, amount in taken.items():
        for word in words:
            each[word] += amount
    return {word for word, amount in each.items() if amount >= most[_is_comment_word(word)]}


def _comment_words_over(taken: Mapping[frozenset[str], float], least: float) -> set[str]:
    """Return the words that mark comments and remove more of the page than they leave."""
    each: defaultdict[str, float] = defaultdict(float)
    for words, amount in taken.items():
        for word in filter(_is_comment_word, words):
            each[word] += amount
    return {word for word, amount in each.items() if amount >= least}


def _are_replies(blocks: PageBlocks, part: set[int]) -> bool:
    """Tell whether elements that are marked as comments follow prose, and hold rows or times as replies do."""
    lines = [line for line in blocks.lines if line.element in part]
    first = min(part)
    if not any(line.element < first and is_running_text(line) for line in blocks.lines):
        return False
    times = sum(is_time_line(line.text) or is_dated_line(line.text) for line in lines)
    return times >= _MIN_REPLY_TIMES or _has_rows(blocks.elements, lines)


def _has_rows(elements: Sequence[Element], lines: Sequence[TextLine]) -> bool:
    """Tell whether most of a section is in elements of one kind that are more than bare paragraphs."""
    kinds: defaultdict[tuple[int, str, str], dict[int, list[TextLine]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        number = line.element
        while number:
            element = elements[number]
            if element.label or element.tag in _ROW_TAGS:
                kinds[element.parent, element.tag, strip_digits(element.label)][number].append(line)
            number = element.parent
    return any(
        len(rows) >= _MIN_REPLY_ROWS and _is_most_text(lines, [line for row in rows.values() for line in row])
        for rows in kinds.values()
    )


@lru_cache(maxsize=10_000)
def _join_words(words: frozenset[str], names: frozenset[str]) -> frozenset[str]:
    return words | names


@lru_cache(maxsize=10_000)
def _label_words(tag: str, label: str, hidden: bool) -> frozenset[str]:
    """Return the words that mark an element as boilerplate: from its class and id, its tag, or a style."""
    if tag in WRAPPER_TAGS:
        return NO_WORDS
    words = set(UNLIKELY_LABEL.findall(label))
    if tag in UNLIKELY_TAGS and "quote" not in label.split():  # posts of Discourse put quotations into an aside
        words.add(tag)
    if hidden:
        words.add("hidden")
    return frozenset(words)


@cache
def _is_comment_word(word: str) -> bool:
    return COMMENT_WORD.match(word) is not None


def sum_subtrees(elements: Sequence[Element], own: Sequence[float]) -> list[float]:
    """Return the sum of each element's own amount and those of its descendants."""
    sums = list(own)
    for index in range(len(sums) - 1, 0, -1):
        sums[elements[index].parent] += sums[index]
    return sums


# Labels that themes and formats also give to boxes inside the text. Comments, legal words and hidden boxes are
# excluded.
MILD_WORDS = frozenset(("sidebar", "side-bar", "aside", "related", "relevant", "xiangguan", "editor", "share"))
_MAX_BOXES = 100  # boxes of a page that are examined
_MIN_BOX_CHARACTERS = 25  # characters of running text in a box between two paragraphs
_MAX_BOX_LINKED_SHARE = 0.1  # share of link characters from which it is boilerplate


def find_likely_elements(blocks: PageBlocks, called: Sequence[frozenset[str]]) -> list[bool]:
    """Return which elements are likely text. called: the words that mark each element or its ancestors as boilerplate.

    A box is text if it is between two paragraphs of one section of the page, or if it holds prose by itself.
    """
    likely = [not words for words in called]
    for box in list(_candidate_boxes(blocks, called))[:_MAX_BOXES]:
        inside = _elements_inside(blocks, box)
        if _is_text_box(blocks, box, inside, likely):
            for element in inside:
                likely[element] = likely[element] or called[element] <= MILD_WORDS
    return likely


def _candidate_boxes(blocks: PageBlocks, called: Sequence[frozenset[str]]) -> Iterator[int]:
    for number, element in enumerate(blocks.elements):
        if called[number] and called[number] <= MILD_WORDS and not called[element.parent]:
            yield number


def _elements_inside(blocks: PageBlocks, box: int) -> set[int]:
    inside = {box}
    for number in range(box + 1, len(blocks.elements)):
        if blocks.elements[number].parent not in inside:
            if blocks.elements[number].parent < box:
                break
            continue
        inside.add(number)
    return inside


def _is_text_box(blocks: PageBlocks, box: int, inside: set[int], likely: Sequence[bool]) -> bool:
    places = [place for place, line in enumerate(blocks.lines) if line.element in inside]
    lines = [blocks.lines[place] for place in places]
    length = sum(len(line.text) for line in lines)
    if not lines or sum(line.linked for line in lines) > _MAX_BOX_LINKED_SHARE * length:
        return False
    if select_prose(lines):
        return True
    if sum(len(line.text) for line in lines if is_running_text(line)) < _MIN_BOX_CHARACTERS:
        return False
    beside = [
        place
        for place, line in enumerate(blocks.lines)
        if likely[line.element]
        and blocks.elements[line.element].parent == blocks.elements[box].parent
        and is_running_text(line)
    ]
    return bool(beside) and beside[0] < places[0] and beside[-1] > places[-1]
