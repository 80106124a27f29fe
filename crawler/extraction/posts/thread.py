"""Locate the posts of a thread in its text, by the longest common subsequence of lines."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import accumulate, groupby

from rapidfuzz.distance import Indel
from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.charset import decode_bytes, header_charset
from crawler.extraction.model import PlacedPost, Post, Quotation, ThreadPage
from crawler.extraction.parsing import bound_markup
from crawler.extraction.posts.forum_markup import extract_forum_posts
from crawler.extraction.posts.generic_posts import detect_posts, extract_stated_posts

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
