"""Find the author of a page in its metadata, in dedicated elements, and in the byline around its title."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.linked_data import LinkedData, linked_data_text
from crawler.extraction.metadata import to_single_line
from crawler.extraction.page_lines import TextLine

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
MAX_NAME_CHARACTERS: Final = 20  # characters of a name in an element
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
        if text and len(text) <= MAX_NAME_CHARACTERS and ":" not in text and "：" not in text and _is_name(text, site):
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
