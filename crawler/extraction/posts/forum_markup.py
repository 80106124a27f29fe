"""Extract the posts of known forum programs, with quotations, and remove their boilerplate."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extraction.boilerplate.line_classification import BUTTON_WORDS, DATE_OR_COUNT
from crawler.extraction.markup_signs import FORUM_SOFTWARE, ForumSoftware, has_forum_signs
from crawler.extraction.model import Post, PostLine
from crawler.extraction.page_lines import Element, extract_blocks
from crawler.extraction.posts.author_and_time import find_post_author, find_post_floor, find_post_time

_QUOTE_SELECTOR = "blockquote, [class*=quot]"
_QUOTE_LABEL = re.compile(r"quot")  # of a class or id
_QUOTED_ATTRIBUTES = ("data-username", "data-author", "data-quote")
_MAX_ATTRIBUTION_CHARACTERS = 200  # characters of a line that attributes a quotation
_QUOTED_NAME = r"[^:：,，。]{1,40}?"
_ATTRIBUTION_LINE = re.compile(
    r"^\s*(?:原帖由|最初由|引用|回复|originally posted by|quote from:?)?\s*(?:\d+\s*[楼#]\s*)?@?"
    rf"(?P<name>{_QUOTED_NAME})\s*"
    r"(?:发表于|发表在|于\s*20|的(?:帖子|发言|回复)|(?:写道|说道?|wrote|said)\s*[:：]|发表$|[:：]\s*$)",
    re.IGNORECASE,
)
_ATTRIBUTION_PHRASE = re.compile(
    rf"(?:原帖由|最初由|originally posted by|quote from:?)\s+@?(?P<name>{_QUOTED_NAME})(?:\s|$)", re.IGNORECASE
)


def extract_post_lines(body: LexborNode) -> tuple[tuple[PostLine, ...], tuple[str | None, ...]]:
    """Return the lines of a post's body, and by quotation its stated author."""
    tree = LexborHTMLParser((body.html or "").partition(">")[2])  # the body itself may be a blockquote
    blocks = extract_blocks(tree)
    around = _outermost_quotations(blocks.elements)
    numbers: dict[int, int] = {}  # of quotations, by their elements
    lines: list[PostLine] = []
    for line in blocks.lines:
        quote = around[line.element]
        lines.append(PostLine(line.text, None if quote is None else numbers.setdefault(quote, len(numbers))))
    return tuple(lines), _quoted_authors(tree, lines, len(numbers))


def _outermost_quotations(elements: Sequence[Element]) -> list[int | None]:
    """Return for every element the outermost quotation around it."""
    around: list[int | None] = []
    for number, element in enumerate(elements):
        outer = around[element.parent] if number else None
        quotes = element.tag == "blockquote" or _QUOTE_LABEL.search(element.label) is not None
        around.append(number if outer is None and quotes else outer)
    return around


def _quoted_authors(tree: LexborHTMLParser, lines: Sequence[PostLine], count: int) -> tuple[str | None, ...]:
    if not count:
        return ()
    nodes = [
        node for node in tree.css(_QUOTE_SELECTOR) if not _is_within_quotation(node) and (node.text() or "").strip()
    ]
    marked = [next(filter(None, map(node.attributes.get, _QUOTED_ATTRIBUTES)), None) for node in nodes]
    first = {line.quotation: line.text for line in reversed(lines)}
    return tuple(
        (marked[number] if len(marked) == count else None) or _parse_attribution(first[number])
        for number in range(count)
    )


def _parse_attribution(line: str) -> str | None:
    match = _ATTRIBUTION_LINE.search(line[:_MAX_ATTRIBUTION_CHARACTERS]) or _ATTRIBUTION_PHRASE.search(
        line[:_MAX_ATTRIBUTION_CHARACTERS]
    )
    return match["name"] if match else None


def _is_within_quotation(node: LexborNode) -> bool:
    above = node.parent
    while above is not None:
        if above.tag == "blockquote" or "quot" in (above.attributes.get("class") or "").lower():
            return True
        above = above.parent
    return False


MAX_PAGE_POSTS = 2_000  # posts of a page
_ANY_POST_SELECTOR = ", ".join(software.post for software in FORUM_SOFTWARE)


@dataclass(frozen=True, slots=True)
class PostNode:
    """Represent a post in the tree of its page, and its author."""

    node: LexborNode
    body: LexborNode
    author: str


def extract_forum_posts(tree: LexborHTMLParser, html: str, fetched_at: datetime | None) -> list[Post]:
    """Return the posts in page order, as marked up by the likeliest program.

    html: the source of the tree. fetched_at: when the page was fetched.
    """
    read = [list(_read_posts(tree, software, fetched_at)) for software in _software_by_signs(html)]
    return max(read, key=_recognition_score, default=[])


def detect_forum_software(tree: LexborHTMLParser, html: str, markup: bytes) -> tuple[ForumSoftware, ...]:
    """Return the programs that may have written a page's posts, once for all later queries.

    html: the source of the tree. markup: the same in UTF-8.
    """
    return (
        tuple(_software_by_signs(html))
        if has_forum_signs(markup) and tree.css_first(_ANY_POST_SELECTOR) is not None
        else ()
    )


def find_opening_post(tree: LexborHTMLParser, programs: Sequence[ForumSoftware]) -> Post | None:
    """Return the first post without its lines."""
    for software in programs:
        for node, _ in _post_bodies(tree, software, software.opening or software.post):
            post = _make_post(node, software, (), (), None)
            if post.author is not None:
                return post
    return None


def find_post_nodes(tree: LexborHTMLParser, programs: Sequence[ForumSoftware]) -> list[PostNode]:
    """Return the posts of the likeliest program that name their authors, or [] for no known program."""
    threads = [
        [
            PostNode(node, body, author)
            for node, body in _post_bodies(tree, software, software.post)
            if (author := find_post_author(node, software.author)) is not None
        ]
        for software in programs
    ]
    return max(threads, key=len, default=[])


def _software_by_signs(html: str) -> Iterator[ForumSoftware]:
    return (software for software in FORUM_SOFTWARE if any(sign in html for sign in software.signs))


def _recognition_score(posts: Sequence[Post]) -> tuple[int, int]:
    whole = sum(1 for post in posts if post.author is not None and post.written_at is not None)
    return whole, sum(len(post.lines) for post in posts)


def _read_posts(tree: LexborHTMLParser, software: ForumSoftware, fetched_at: datetime | None) -> Iterator[Post]:
    for node, body in _post_bodies(tree, software, software.post):
        lines, quoted = extract_post_lines(body)
        if lines:
            yield _make_post(node, software, lines, quoted, fetched_at)


def _post_bodies(
    tree: LexborHTMLParser, software: ForumSoftware, posts: str
) -> Iterator[tuple[LexborNode, LexborNode]]:
    """Yield each post with its body. Of nested elements of one post, yield the outermost."""
    taken: set[int] = set()
    for node in tree.css(posts)[:MAX_PAGE_POSTS]:
        body = next((body_node for selector in software.body for body_node in node.css(selector)[:1]), None)
        if body is not None and body.mem_id not in taken:
            taken.add(body.mem_id)
            yield node, body


def _make_post(
    node: LexborNode,
    software: ForumSoftware,
    lines: tuple[PostLine, ...],
    quoted: tuple[str | None, ...],
    fetched_at: datetime | None,
) -> Post:
    written_at, precision = find_post_time(node, software.time, fetched_at) or (None, None)
    return Post(
        lines=lines,
        quoted=quoted,
        author=find_post_author(node, software.author),
        written_at=written_at,
        precision=precision,
        floor=find_post_floor(node, software.floor),
    )


# Boilerplate that a forum program adds to a post: its floor, its time, edit notes.
#
# An element of a post is boilerplate if it only holds the author, the time and button words. The post's body belongs to
# its author, except for the edit note that the program inserts.


_MAX_FURNITURE_CHARACTERS = 80  # characters of one element
_MAX_POST_ELEMENTS = 400  # elements of a post that are examined
_FURNITURE_WORDS = (
    r"本帖|最后|最後|编辑|編輯|总共|回帖|跟帖|楼层|樓層|来自|來自|客户端|客戶端|手机版?|电脑版|[iI]Phone|Android|"
    r"星期[一二三四五六日天]|周[一二三四五六日]|[一二三四五六七八九十]{1,2}月|[由于於发第楼樓层層月日年时時分次]|半小[时時]前|Re\b"
)
_FURNITURE_LINE = re.compile(rf"(?>{DATE_OR_COUNT}|{BUTTON_WORDS}|{_FURNITURE_WORDS}|[\W_])++")
# Discuz! inserts it into a post as an element of its own.
_EDIT_NOTE = re.compile(r"本(?:帖|贴|主题|文)(?:最后|最後)由\s.{1,40}?\s[于於]\s.{4,30}?\s?(?:编辑|編輯)")
_EDIT_NOTE_SELECTOR = "i, em, .pstatus"
# Comments below a post belong to their authors, however short.
_OTHERS_LABEL = re.compile(r"(?:^|\s)(?:cm|pst\w*|lzl\w*|j_lzl\w*)(?:\s|$)|comment_|signature|(?:^|\s)sign(?:\s|$)")


def remove_post_furniture(tree: LexborHTMLParser, programs: Sequence[ForumSoftware]) -> None:
    """Remove boilerplate from the tree of a page that one of these programs wrote."""
    posts = find_post_nodes(tree, programs)
    bodies = {post.body.mem_id for post in posts}
    around = {above.mem_id for post in posts for above in _ancestors_of(post.body)}
    furniture = [
        part for post in posts for part in (*_furniture_around(post, bodies, around), *_furniture_inside(post.body))
    ]
    for node in {node.mem_id: node for node in furniture}.values():
        node.decompose()


def _ancestors_of(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    while above is not None and above.tag not in ("body", "html", "-undef"):
        yield above
        above = above.parent


def _furniture_around(post: PostNode, bodies: set[int], around: set[int]) -> Iterator[LexborNode]:
    """Yield the largest elements of a post that are boilerplate."""
    waiting, left = [post.node], _MAX_POST_ELEMENTS
    while waiting and left:
        left -= 1
        for child in waiting.pop().iter():
            if child.mem_id in bodies or _OTHERS_LABEL.search(_node_label(child)):
                continue
            if child.mem_id in around or not _is_furniture(child, post.author):
                waiting.append(child)
            else:
                yield child


def _furniture_inside(body: LexborNode) -> Iterator[LexborNode]:
    for node in body.css(_EDIT_NOTE_SELECTOR)[:_MAX_POST_ELEMENTS]:
        if _EDIT_NOTE.fullmatch(_node_text(node)):
            yield node


def _is_furniture(node: LexborNode, author: str) -> bool:
    text = _node_text(node)
    return (
        0 < len(text) <= _MAX_FURNITURE_CHARACTERS and _FURNITURE_LINE.fullmatch(text.replace(author, " ")) is not None
    )


def _node_text(node: LexborNode) -> str:
    return " ".join((node.text(deep=True) or "").split())


def _node_label(node: LexborNode) -> str:
    attributes = node.attributes
    return f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower()
