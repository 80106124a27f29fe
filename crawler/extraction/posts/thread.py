"""Extract posts of unknown programs from JSON-LD, or else by repeated structure. Locate posts in the text of a page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import accumulate, groupby
from typing import Any

from rapidfuzz.distance import Indel
from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extraction.boilerplate.line_classification import BUTTON_LINE
from crawler.extraction.charset import decode_bytes, header_charset
from crawler.extraction.dates import parse_hour
from crawler.extraction.inline_data import LinkedData, iter_linked_data, linked_data_text
from crawler.extraction.model import PlacedPost, Post, PostLine, Quotation, ThreadPage
from crawler.extraction.page_lines import extract_blocks
from crawler.extraction.parsing import bound_markup
from crawler.extraction.posts.author_and_time import (
    PostTime,
    find_post_author,
    find_post_floor,
    parse_post_time,
    parse_relative_time,
)
from crawler.extraction.posts.forum_markup import extract_forum_posts, extract_post_lines

POST_TYPES = frozenset(("discussionforumposting", "comment", "question", "answer"))
POST_TEXT_KEYS = ("text", "articleBody", "commentText")
NESTED_POST_KEYS = ("mainEntity", "comment", "acceptedAnswer", "suggestedAnswer", "hasPart")
MAX_POST_DEPTH = 20  # nested posts


def extract_stated_posts(tree: LexborHTMLParser) -> list[Post]:
    """Return the posts in thread order: each before its answers."""
    posts = (post for data in iter_linked_data(tree) for post in _nested_posts(data, MAX_POST_DEPTH))
    return list({(post.author, post.written_at, post.lines): post for post in posts}.values())


def _nested_posts(data: Any, deep: int) -> Iterator[Post]:
    if isinstance(data, list):
        for inner in data:
            yield from _nested_posts(inner, deep)
        return
    if not isinstance(data, dict) or not deep:
        return
    if (post := _stated_post(data)) is not None:
        yield post
    for name in NESTED_POST_KEYS:
        yield from _nested_posts(data.get(name), deep - 1)


def _stated_post(data: LinkedData) -> Post | None:
    kinds = data.get("@type")
    names = {str(kind).lower() for kind in (kinds if isinstance(kinds, list) else [kinds])}
    text = next((text for name in POST_TEXT_KEYS if (text := linked_data_text(data, name))), None)
    if not names & POST_TYPES or text is None:
        return None
    stated = linked_data_text(data, "datePublished") or linked_data_text(data, "dateCreated") or ""
    written_at, precision = parse_post_time(stated) or (None, None)
    return Post(
        lines=_stated_lines(text),
        author=linked_data_text(data, "author", "name"),
        written_at=written_at,
        precision=precision,
    )


def _stated_lines(text: str) -> tuple[PostLine, ...]:
    if "</" in text or "<br" in text:
        return tuple(PostLine(line.text) for line in extract_blocks(LexborHTMLParser(bound_markup(text))).lines)
    return tuple(PostLine(" ".join(line.split())) for line in text.splitlines() if line.strip())


# Posts of an unknown program: the parts of a page that hold one time and one name each.


MIN_THREAD_POSTS = 2  # posts of a thread
MAX_STRUCTURE_NODES = 100_000
MAX_STRUCTURE_TIMES = 2_000
MAX_TIME_CHARACTERS = 60  # characters of an element that states a time and little else
_NAME_SELECTORS = (
    "[class*=author i]",
    "[class*=user i]",
    "[class*=nick i]",
    "[class*=name i]",
    "[rel~=author]",
    "cite",
)
_FLOOR_SELECTORS = ("[class*=floor i]", "[class*=num i]", "[class*=index i]")


def detect_posts(tree: LexborHTMLParser, fetched_at: datetime | None = None) -> list[Post]:
    """Return the posts in page order, or [] if there is only one. fetched_at: when the page was fetched."""
    times = list(_time_nodes(tree, fetched_at))
    counts = Counter(node.mem_id for time in times for node in _node_and_ancestors(time))
    parts = {part.mem_id: (part, time) for time in times if (part := _largest_part(time, counts)) is not None}
    posts = [post for part, time in parts.values() if (post := _post_from_part(part, time, fetched_at)) is not None]
    return posts if len(posts) >= MIN_THREAD_POSTS else []


def _time_nodes(tree: LexborHTMLParser, fetched_at: datetime | None) -> Iterator[LexborNode]:
    """Yield the elements that state a day and an hour, or an age."""
    root, time_count = tree.body, 0
    for number, node in enumerate(root.traverse(include_text=True) if root is not None else ()):
        if number >= MAX_STRUCTURE_NODES or time_count >= MAX_STRUCTURE_TIMES:
            return
        if node.tag == "-text" and node.parent is not None and _is_time_text(node.text_content or "", fetched_at):
            time_count += 1
            yield node.parent


def _is_time_text(text: str, fetched_at: datetime | None) -> bool:
    words = text.strip()
    return 0 < len(words) <= MAX_TIME_CHARACTERS and (
        parse_hour(words) is not None or _parse_post_age(words, fetched_at) is not None
    )


def _parse_post_age(text: str, fetched_at: datetime | None) -> PostTime | None:
    """Parse words that state only an age, relative to the fetch time."""
    if fetched_at is None or not (text.endswith("ago") or BUTTON_LINE.fullmatch(text)):
        return None
    return parse_relative_time(text, fetched_at)


def _node_and_ancestors(node: LexborNode) -> Iterator[LexborNode]:
    above: LexborNode | None = node
    while above is not None and above.tag not in ("body", "html", "-undef"):
        yield above
        above = above.parent


def _largest_part(time: LexborNode, counts: Counter[int]) -> LexborNode | None:
    """Return the largest part of the page that holds this time and no other."""
    part = None
    for node in _node_and_ancestors(time):
        if counts[node.mem_id] > 1:
            break
        part = node
    return part


def _post_from_part(part: LexborNode, time: LexborNode, fetched_at: datetime | None) -> Post | None:
    author = find_post_author(part, _NAME_SELECTORS)
    if author is None:
        return None
    lines, quoted = extract_post_lines(part)
    stamp = (time.text(deep=True) or "").strip()
    written_at, precision = parse_post_time(stamp) or _parse_post_age(stamp, fetched_at) or (None, None)
    floor = find_post_floor(part, _FLOOR_SELECTORS)
    return Post(lines=lines, quoted=quoted, author=author, written_at=written_at, precision=precision, floor=floor)


TextSpan = tuple[int, int]  # code points


def place_posts(posts: Sequence[Post], text: str) -> tuple[PlacedPost, ...]:
    """Locate the posts with a line in the text, in text order. Lines match by their longest common subsequence."""
    shown = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in shown)]
    numbered_lines = [(number, line) for number, post in enumerate(posts) for line in post.lines]
    lines_by_post: dict[int, list[tuple[TextSpan, int | None]]] = {}  # lines with their quotations, by post
    for place, shown_place in _common_lines([line.text for _, line in numbered_lines], shown):
        number, line = numbered_lines[place]
        lines_by_post.setdefault(number, []).append(
            ((starts[shown_place], starts[shown_place] + len(line.text)), line.quotation)
        )
    return tuple(_place_post(posts[number], lines) for number, lines in lines_by_post.items())


def _common_lines(lines: Sequence[str], shown: Sequence[str]) -> Iterator[tuple[int, int]]:
    for step in Indel.opcodes(lines, shown):
        if step.tag == "equal":
            yield from zip(range(step.src_start, step.src_end), range(step.dest_start, step.dest_end), strict=True)


def _place_post(post: Post, lines: Sequence[tuple[TextSpan, int | None]]) -> PlacedPost:
    quotations = (
        _make_quotation([stretch for stretch, _ in group], post.quoted[number])
        for number, group in groupby(lines, key=lambda entry: entry[1])
        if number is not None
    )
    return PlacedPost(
        start=lines[0][0][0],
        end=lines[-1][0][1],
        author=post.author,
        written_at=post.written_at,
        precision=post.precision,
        floor=post.floor,
        quotations=tuple(quotations),
    )


def _make_quotation(stretches: Sequence[TextSpan], author: str | None) -> Quotation:
    return Quotation(stretches[0][0], stretches[-1][1], author)


# The posts of a text: of one page, or of a thread whose pages form one text.


def extract_thread_posts(pages: Sequence[ThreadPage], text: str) -> tuple[PlacedPost, ...]:
    """Locate the posts of pages in their text, in text order. Posts outside of the text are left out."""
    return place_posts(
        [post for body, headers, fetched_at in pages for post in _page_posts(body, headers, fetched_at)], text
    )


def _page_posts(body: bytes, headers: tuple[tuple[str, str], ...], fetched_at: datetime | None) -> list[Post]:
    html = bound_markup(decode_bytes(body, header_charset(headers)).text).replace("\0", "")
    tree = LexborHTMLParser(html)
    return extract_forum_posts(tree, html, fetched_at) or extract_stated_posts(tree) or detect_posts(tree, fetched_at)
