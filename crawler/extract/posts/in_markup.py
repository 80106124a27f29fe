"""The posts of a page that a forum program wrote."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.posts.author_and_time import author_in, floor_in, time_in
from crawler.extract.posts.post import Post, PostLine
from crawler.extract.posts.quotations import lines_of
from crawler.extract.posts.softwares import SOFTWARES, Software, has_signs

MOST = 2_000  # posts of a page
_ANY = ", ".join(software.post for software in SOFTWARES)


@dataclass(frozen=True, slots=True)
class PostNode:
    """Where a post stands in the tree of its page, and who wrote it."""

    node: LexborNode
    body: LexborNode
    author: str


def posts_in_markup(tree: LexborHTMLParser, html: str, fetched_at: datetime | None) -> list[Post]:
    """The posts in the order of the page, as the likeliest program writes them. html: what the tree was made of;
    fetched_at: when the page was fetched.
    """
    read = [list(_posts(tree, software, fetched_at)) for software in _signed(html)]
    return max(read, key=_recognised, default=[])


def programs_of(tree: LexborHTMLParser, html: str, markup: bytes) -> tuple[Software, ...]:
    """The programs that may have written a page's posts, where it has any; looked for once for all that asks for posts.
    html: what the tree was made of; markup: the same in UTF-8.
    """
    return tuple(_signed(html)) if has_signs(markup) and tree.css_first(_ANY) is not None else ()


def opening_post(tree: LexborHTMLParser, programs: Sequence[Software]) -> Post | None:
    """The first of them, without its lines."""
    for software in programs:
        for node, _ in _bodies(tree, software, software.opening or software.post):
            post = _post(node, software, (), (), None)
            if post.author is not None:
                return post
    return None


def posts_of_tree(tree: LexborHTMLParser, programs: Sequence[Software]) -> list[PostNode]:
    """Where the posts of the likeliest program stand whose authors are told; none where no program is known."""
    found = [
        [
            PostNode(node, body, author)
            for node, body in _bodies(tree, software, software.post)
            if (author := author_in(node, software.author)) is not None
        ]
        for software in programs
    ]
    return max(found, key=len, default=[])


def _signed(html: str) -> Iterator[Software]:
    return (one for one in SOFTWARES if any(sign in html for sign in one.signs))


def _recognised(posts: Sequence[Post]) -> tuple[int, int]:
    whole = sum(1 for post in posts if post.author is not None and post.written_at is not None)
    return whole, sum(len(post.lines) for post in posts)


def _posts(tree: LexborHTMLParser, software: Software, fetched_at: datetime | None) -> Iterator[Post]:
    for node, body in _bodies(tree, software, software.post):
        lines, quoted = lines_of(body)
        if lines:
            yield _post(node, software, lines, quoted, fetched_at)


def _bodies(tree: LexborHTMLParser, software: Software, posts: str) -> Iterator[tuple[LexborNode, LexborNode]]:
    """Each post with what it says; where elements of one post stand in each other, the outermost."""
    taken: set[int] = set()
    for node in tree.css(posts)[:MOST]:
        body = next((one for selector in software.body for one in node.css(selector)[:1]), None)
        if body is not None and body.mem_id not in taken:
            taken.add(body.mem_id)
            yield node, body


def _post(
    node: LexborNode,
    software: Software,
    lines: tuple[PostLine, ...],
    quoted: tuple[str | None, ...],
    fetched_at: datetime | None,
) -> Post:
    at, precision = time_in(node, software.time, fetched_at) or (None, None)
    return Post(
        lines=lines,
        quoted=quoted,
        author=author_in(node, software.author),
        written_at=at,
        precision=precision,
        floor=floor_in(node, software.floor),
    )
