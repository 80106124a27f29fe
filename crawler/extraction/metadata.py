"""Read title, author, site name, canonical URL and language of a page.

The author stands in its metadata, in dedicated elements, or in the byline around its title.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.addresses import host_of
from crawler.extraction.boilerplate.non_chinese import count_certain_han, may_hold_kana
from crawler.extraction.inline_data import LinkedData, linked_data_text
from crawler.extraction.page_lines import TextLine

TITLE_SEPARATORS = re.compile(r" ?[_|—–]+ ?| -+ ")  # of a title as `to_single_line` returns it
MAX_NAME_CHARACTERS = 20
MAX_TITLE_CHARACTERS = 500  # characters of a title or a name that are read
MAX_TITLE_HEADINGS = 30
HEADING_SELECTORS = ("h1, h2", "h3, h4")  # the larger first
MIN_SHOWN_TITLE_CHARACTERS = 3  # characters of a title that is searched for among the lines
MAX_TITLE_LINE_REST = 100  # characters after the title in a line that shows it
SITE_METAS = ("og:site_name", "application-name")
SITE_NAME_ENDING = re.compile(
    r"(?:网|网站|官网|门户|论坛|日报|晚报|早报|时报|商报|周刊|博客|博客园|书屋|书院|书城|文学|小说|阅读|百科|在线|频道|社区|贴吧|客户端|"
    r"出版社|杂志社|通讯社|电视台|资讯|知乎|简书|豆瓣|网易|新浪|搜狐|腾讯)$"
)
# Site endings that no title has. Before them a hyphen without spaces separates too, and the title may follow them.
_SURE_SITE_ENDING = re.compile(r"(?:网|网站|官网|日报|晚报|时报|论坛|客户端|博客园|通讯社|出版社)$")
_HYPHENS = re.compile(r"-+")
_PLACEHOLDER_TITLE = re.compile(
    r"(?:无标题(?:文档|页)?|未命名(?:文档)?|新建网页.{0,3}|untitled(?: document)?|document|new page|loading\W{0,3}|"
    r"首页|主页|正文|详情页?|新闻详情|文章详情)",
    re.IGNORECASE,
)
_QUOTES = frozenset("\"'“”‘’「『《〈")
_BREAKING_OFF = re.compile(r" ?(?:…{1,6}|\.{3,6}|。{3,6})$")


def find_title(tree: LexborHTMLParser, metas: Mapping[str, str], stated: LinkedData, site: str | None) -> str | None:
    """Return the page's title without the site's name. site: as `find_site_name` returns it."""
    whole = _first_text(tree, "title")
    if whole and (_PLACEHOLDER_TITLE.fullmatch(whole) or whole == site):
        whole = None
    own = to_single_line(metas.get("og:title")) or to_single_line(linked_data_text(stated, "headline"))
    if own and own != site and not _PLACEHOLDER_TITLE.fullmatch(own):
        return _complete_title(_strip_site_name(site, own), whole, tree, site)
    if whole is None:
        return _first_text(tree, "h1") or _first_text(tree, "title")
    for selector in HEADING_SELECTORS:
        # A theme may put the site's name into the h1, and the title ends with that name. So the heading that begins the
        # title takes precedence.
        fitting = [text for text in _headings(tree, selector) if text != site and _has_whole_words(whole, text)]
        if fitting:
            return next((text for text in fitting if whole.startswith(text)), fitting[0])
    return _complete_title(_first_part(whole, site), None, tree, site)


def _headings(tree: LexborHTMLParser, selector: str) -> Iterator[str]:
    return (to_single_line(node.text(deep=True)) for node in tree.css(selector)[:MAX_TITLE_HEADINGS])


def _complete_title(title: str, whole: str | None, tree: LexborHTMLParser, site: str | None) -> str:
    """Return a title that is cut by a quotation mark or truncated as another place shows it in full.

    whole: the title element, if the title is from metadata.
    """
    begin = _BREAKING_OFF.sub("", title)
    breaks_off = begin != title
    rest = _text_behind(whole, begin) if whole is not None else ""
    if whole and rest and (breaks_off or rest[0] in _QUOTES) and _BREAKING_OFF.fullmatch(rest) is None:
        return _first_part(whole, site)
    if not breaks_off:
        return title
    shown = (text for selector in HEADING_SELECTORS for text in _headings(tree, selector))
    return next((text for text in shown if len(text) > len(title) and text.startswith(begin)), title)


def _text_behind(text: str, begin: str) -> str:
    return text.removeprefix(begin).lstrip() if text.startswith(begin) else ""


def _has_whole_words(whole: str, text: str) -> bool:
    """Tell whether the title contains a heading at word boundaries."""
    before, held, behind = whole.partition(text) if text else (whole, "", "")
    return bool(held) and not (before[-1:].isalnum() or behind[:1].isalnum())


def _first_part(whole: str, site: str | None) -> str:
    """Return the first part of a title, before the names of columns and of the site."""
    parts = [part for part in TITLE_SEPARATORS.split(whole) if part]
    if len(parts) > 1 and (parts[0] == site or _is_site_name(parts[0], _SURE_SITE_ENDING)):
        parts = parts[1:]
    first = parts[0] if parts else whole
    *front, last = _HYPHENS.split(first)
    if front and "".join(front) and (last.strip() == site or _is_site_name(last.strip(), _SURE_SITE_ENDING)):
        first = first.removesuffix(last).rstrip(" -")
    return first


def _is_site_name(name: str, ending: re.Pattern[str]) -> bool:
    return len(name) <= MAX_NAME_CHARACTERS and ending.search(name) is not None


def find_title_place(lines: Sequence[TextLine], title: str | None) -> int:
    """Return the position of the line that shows the title, or 0."""
    if not title or len(title) < MIN_SHOWN_TITLE_CHARACTERS:
        return 0
    most = len(title) + MAX_TITLE_LINE_REST
    return next(
        (
            place
            for place, line in enumerate(lines)
            if line.text.startswith(title) and len(line.text) <= most and not line.linked
        ),
        0,
    )


def find_site_name(tree: LexborHTMLParser, metas: Mapping[str, str], stated: LinkedData) -> str | None:
    """Return the site's name from the metadata, or from the end of the title if that looks like a site's name."""
    names = (
        *(to_single_line(metas.get(key)) for key in SITE_METAS),
        to_single_line(linked_data_text(stated, "publisher", "name")),
    )
    if name := next((name for name in names if name), None):
        return name
    whole = _first_text(tree, "title") or ""
    _, *others = TITLE_SEPARATORS.split(whole)
    if others:
        return others[-1] if _is_site_name(others[-1], SITE_NAME_ENDING) else None
    front, hyphen, last = whole.rpartition("-")
    return last.strip() if front and hyphen and _is_site_name(last.strip(), _SURE_SITE_ENDING) else None


def find_canonical_url(tree: LexborHTMLParser, metas: Mapping[str, str], base: str) -> str | None:
    """Return the page's canonical address (RFC 6596, or else og:url) in absolute form, or None."""
    links = (node.attributes for node in _select_in_head(tree, "link[rel][href]"))
    stated = [link.get("href") or "" for link in links if "canonical" in (link.get("rel") or "").lower().split()]
    for address in (*stated, metas.get("og:url", "")):
        try:
            full = urljoin(base, address.strip())
        except ValueError:
            continue
        if address.strip() and host_of(full):
            return full
    return None


def read_metas(tree: LexborHTMLParser) -> dict[str, str]:
    """Return the content of the meta elements by their name in lower case. The first of a name counts."""
    metas: dict[str, str] = {}
    for node in _select_in_head(tree, "meta[content]"):
        attributes = node.attributes
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        if name:
            metas.setdefault(name.lower(), attributes.get("content") or "")
    return metas


def _strip_site_name(site: str | None, title: str) -> str:
    """Remove the site's name from the end of a title."""
    *front, last = TITLE_SEPARATORS.split(title)
    if front and last == site:
        return title.removesuffix(last).rstrip(" _|—–-")
    return title if front else _first_part(title, site)


def _first_text(tree: LexborHTMLParser, selector: str) -> str | None:
    node = tree.css_first(selector)
    return (to_single_line(node.text(deep=True)) if node else "") or None


def to_single_line(text: str | None) -> str:
    """Return a title or a name with single spaces, truncated to a plausible length."""
    if not text:
        return ""
    return " ".join(text[: 4 * MAX_TITLE_CHARACTERS].split())[:MAX_TITLE_CHARACTERS].rstrip()


def _select_in_head(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    """Return elements of the head. Search the whole page if a broken head holds none."""
    head = tree.head
    return (head.css(selector) if head else []) or tree.css(selector)


_NON_HAN = re.compile(r"[^\u3400-\u9fff\uf900-\ufaff]+")
_NON_KANA = re.compile(r"[^\u3040-\u30ff]+")
LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
LANGUAGE_SAMPLE_CHARACTERS = 2000  # characters of a text that decide its language
MIN_HAN_SHARE = 0.3  # share of Han characters from which a text is Chinese, whatever its template declares
MIN_KANA_SHARE = 0.1  # share of kana that no Chinese text has


def detect_language(tree: LexborHTMLParser, metas: Mapping[str, str], stated: LinkedData, text: str) -> str | None:
    """Return the language of the text as a BCP 47 tag. Characters overrule the stated language.

    Templates of Chinese sites often keep their original "en".
    """
    root = tree.css_first("html")
    attributes = root.attributes if root else {}
    declared = (
        attributes.get("lang"),
        attributes.get("xml:lang"),
        metas.get("og:locale"),
        linked_data_text(stated, "inLanguage"),
    )
    matches = (LANGUAGE_TAG.match(value.strip()) for value in declared if value)
    tag = next((match[0].replace("_", "-") for match in matches if match), None)
    seen = language_by_characters(text)
    if seen is None or (seen == "zh" and tag and tag.lower().startswith("zh")):
        return tag
    return seen


def language_by_characters(text: str) -> str | None:
    """Return `zh` or `ja` if the characters of a text decide it.

    >>> [language_by_characters(text) for text in ("长江边上的一座小城", "川のほとりの町", "a town")]
    ['zh', 'ja', None]
    """
    sample = "".join(text[:LANGUAGE_SAMPLE_CHARACTERS].split())
    written = sample.encode("utf-8", "replace")
    if may_hold_kana(written) and len(_NON_KANA.sub("", sample)) > MIN_KANA_SHARE * len(sample):
        return "ja"
    least = MIN_HAN_SHARE * len(sample)
    return "zh" if count_certain_han(written) > least or len(_NON_HAN.sub("", sample)) > least else None


AUTHOR_METAS: Final = (
    *("author", "article:author", "og:article:author", "og:novel:author", "authors", "byl", "byline", "dc.creator"),
    *(
        "dcterms.creator",
        "citation_author",
        "parsely-author",
        "sailthru.author",
        "article_author",
        "cxenseparse:author",
    ),
)
MAX_AUTHOR_CHARACTERS: Final = 100
MAX_PERSON_NAME_CHARACTERS: Final = 20  # characters of a name in an element
MAX_LINES_BEHIND_TITLE: Final = 30  # lines after the title that may hold a byline, ...
BYLINE_SEARCH_LINES: Final = 60  # ... and lines of a page that does not show its title

_MAX_LINE_CHARACTERS: Final = 100  # characters of a byline
_SIGNS: Final = r"[:：／/|｜丨]"
_NAME: Final = (
    r"(?:[\[〔［【(（][\u3400-\u9fff]{1,3}[\]〕］】)）]\s?)?"  # the dynasty or the country
    r"(?:[\u3400-\u9fff·•]{2,12}+(?:\s?[、&]\s?[\u3400-\u9fff·•]{2,12}+){0,5}(?=(?:19|20)\d\d[-/.年]|[^A-Za-z0-9_]|$)|[A-Z][\w'’-]{0,20}(?:\s[A-Z][\w.'’-]{0,20}){0,3}"
    r"|[^\s:：／/|｜丨，,。、！？；《》<>()（）\[\]【】\"“”]{2,20})"
)
_BYLINE_SIGN: Final = re.compile(r"[者文记撰采执创稿□■●○◎◇◆▲]|[Bb]y")  # a line without one names nobody
_LABELLED_NAME: Final = re.compile(
    rf"(?:(?<![\u3400-\u9fff])(?:原|第一)?作\s{{0,4}}者(?:名|姓名)?[】\]]?\s{{0,2}}(?:{_SIGNS}|\s|(?<=[】\]]))"
    rf"|(?:采写|撰\s{{0,2}}文|撰\s{{0,2}}稿人?|执笔|著者|(?<![\u3400-\u9fff])原创)\s{{0,2}}{_SIGNS}"
    rf"|(?<![\u3400-\u9fff])(?:图\s?[/、]?\s?文|文\s?[/、]?\s?图|文)\s{{0,2}}{_SIGNS}|(?<![\u3400-\u9fff])(?:图/文|图文|文图)\s"
    rf"|^(?:Posted )?[Bb]y\s{{0,2}}[:：]?\s)\s{{0,4}}(?P<name>{_NAME})"
)  # fmt: skip
_REPORTER: Final = re.compile(
    r"(?:^|(?<=[\s（(【□■●○◎:：|｜/]))[\u3400-\u9fff]{0,10}记者"
    r"(?:\s{0,2}[:：／/|｜丨\s]\s{0,2}(?P<name>[\u3400-\u9fff]{2,4}(?:、[\u3400-\u9fff]{2,4}){0,5})(?![\u3400-\u9fff])"
    r"|(?P<near>[\u3400-\u9fff]{2,4})(?=$|[\s）)】]))"
)
_SIGNED_NAME: Final = re.compile(r"[□■●○◎◇◆▲]\s?(?P<name>[\u3400-\u9fff·]{2,4})")
_MAX_CLOSING_CHARACTERS: Final = 24  # characters of a line below the text that names its author
_MAX_LABEL_CHARACTERS: Final = 6  # characters of it before the label of the name itself
_OPENING_SIGNS: Final = "（(【[ "
# Words in place of a name: other labels, and placeholders of programs and offices.
_NO_NAME: Final = re.compile(
    r"(?:简介|介绍|其他|所有|更多|来源|来自|出处|时间|日期|发布|发表|编辑|责编|责任编辑|记者|作者|字号|字体|阅读|浏览|点击|评论|标签|分类|栏目|"
    r"关注|相关|推荐|版权|声明|系|为|是|的|投稿|专栏|主页|授权|未知|佚名|匿名|无名|不详|网络|互联网|网友|本站|本网|转载|整理|综合|小编|站长|管理员|"
    r"[Aa]dmin|[Rr]oot|[Uu]nknown|[Aa]nonymous|[Uu]ser|[Nn]ull|undefined|None|[Ww]ebmaster|[Tt]est)"
)
_OFFICE_ENDING: Final = re.compile(r"(?:记者|作者|编辑|专栏|简介)$")
_NOBODY: Final = re.compile(
    r"(?:[Aa]dmin(?:istrator)?|[Rr]oot|[Uu]nknown|[Aa]nonymous|[Uu]ser|[Nn]ull|undefined|None|[Ww]ebmaster|[Tt]est|"
    r"未知|佚名|匿名|无名氏?|不详|网络(?:整理|转载)?|互联网|网友|本站(?:原创|编辑)?|本网|转载|整理|综合|小编|站长|编辑|责任编辑|管理员|原创|作者|暂无|"
    r"网易|新浪|搜狐|腾讯|凤凰|头条|百度|知乎|CSDN(?:\.NET)?|Taboola|Outbrain)"
)
_LABEL: Final = re.compile(rf"(?:作\s*者|文|[Bb]y|撰文|撰稿|记者|原创|Author)\s?(?:{_SIGNS}|\s)\s?")
_AUTHOR_SELECTOR: Final = (
    "#js_author_name, #author_baidu, [rel~=author], [itemprop=author], .author-name, .author, .post-author, .byline, "
    ".article-author"
)
_MAX_AUTHOR_ELEMENTS: Final = 5
_ACCOUNT_SELECTOR: Final = "#js_name"  # of WeChat
_ACCOUNT_VARIABLE: Final = re.compile(r"""\bnickname\s{0,3}=\s{0,3}(?:htmlDecode\()?["']([^"'\\]{1,40})["']""")


def find_author(
    tree: LexborHTMLParser | None,
    metas: Mapping[str, str],
    stated: LinkedData,
    lines: Sequence[TextLine],
    title_place: int,
    site: str | None,
) -> str | None:
    """Return the author, or None if the page names nobody.

    tree: None for a page without author elements. title_place: the line that shows the title, 0 for none. site: the
    name of the site, which is not an author.
    """
    named = [to_single_line(metas.get(name)) for name in AUTHOR_METAS] + [
        to_single_line(linked_data_text(stated, "author", "name"))
    ]
    for value in named:
        if value and not value.isdecimal() and "@" not in value and "://" not in value and _is_somebody(value, site):
            return value[:MAX_AUTHOR_CHARACTERS]
    begin = title_place or 0
    near = lines[begin : begin + (MAX_LINES_BEHIND_TITLE if begin else BYLINE_SEARCH_LINES)]
    byline = next(chain(_byline_names(near, site), _byline_names(lines[:begin], site)), None)
    return byline or next(_element_names(tree, site), None) or next(_closing_names(lines, site), None)


def find_account(tree: LexborHTMLParser, html: str) -> str | None:
    """Return the name of the WeChat account that published a page, or None."""
    shown = tree.css_first(_ACCOUNT_SELECTOR)
    name = to_single_line(shown.text(deep=True)) if shown else ""
    variable = None if name else _ACCOUNT_VARIABLE.search(html)
    return name or (to_single_line(variable[1]) if variable else "") or None


def _byline_names(lines: Iterable[TextLine], site: str | None) -> Iterator[str]:
    for line in lines:
        if len(line.text) > _MAX_LINE_CHARACTERS or _BYLINE_SIGN.search(line.text) is None:
            continue
        for pattern in (_LABELLED_NAME, _REPORTER):
            for match in pattern.finditer(line.text):
                if (name := _name_of(match)) and _is_name(name, site):
                    yield name
        if (signed := _SIGNED_NAME.fullmatch(line.text)) is not None:
            yield signed["name"]


def _is_name(name: str, site: str | None) -> bool:
    return (
        not (_NO_NAME.match(name) or _OFFICE_ENDING.search(name))
        and _is_somebody(name, site)
        and any(map(str.isalpha, name))
    )


def _is_somebody(name: str, site: str | None) -> bool:
    return _NOBODY.fullmatch(name) is None and name != site


def _element_names(tree: LexborHTMLParser | None, site: str | None) -> Iterator[str]:
    for node in tree.css(_AUTHOR_SELECTOR)[:_MAX_AUTHOR_ELEMENTS] if tree else ():
        inner = node.css_first("[itemprop=name]") or node
        text = _LABEL.sub("", to_single_line(inner.attributes.get("content") or inner.text(deep=True)), count=1)
        if (
            text
            and len(text) <= MAX_PERSON_NAME_CHARACTERS
            and ":" not in text
            and "：" not in text
            and _is_name(text, site)
        ):
            yield text


def _closing_names(lines: Sequence[TextLine], site: str | None) -> Iterator[str]:
    """Yield the name in a line of its own below the text. Several names are a list of other pages and give none."""
    names = set[str]()
    for line in lines:
        if len(line.text) > _MAX_CLOSING_CHARACTERS or _BYLINE_SIGN.search(line.text) is None:
            continue
        text = line.text.lstrip(_OPENING_SIGNS)
        matches = [match for pattern in (_LABELLED_NAME, _REPORTER) if (match := pattern.search(text))]
        names.update(
            name
            for match in matches
            if match.start() <= _MAX_LABEL_CHARACTERS and (name := _name_of(match)) and _is_name(name, site)
        )
    if len(names) == 1:
        yield from names


def _name_of(match: re.Match[str]) -> str:
    """Return the name in a byline, or "" if the match is the label of something else."""
    group = "name" if match["name"] else "near"
    end = match.end(group)
    label = match.string[end : end + 1] in (":", "：") or match.string[end : end + 2] in (" :", " ：")
    return "" if label else match[group].strip()
