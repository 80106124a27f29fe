"""The posts that a page states in JSON-LD, by the vocabulary of schema.org."""

from collections.abc import Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.json_ld import Stated, objects_of, text_at
from crawler.extract.markup.bounded_markup import bounded
from crawler.extract.page_lines import blocks_of
from crawler.extract.posts.author_and_time import moment
from crawler.extract.posts.post import Post, PostLine

KINDS = frozenset(("discussionforumposting", "comment", "question", "answer"))
TEXTS = ("text", "articleBody", "commentText")
BELOW = ("mainEntity", "comment", "acceptedAnswer", "suggestedAnswer", "hasPart")
DEEPEST = 20  # posts below each other


def posts_in_data(tree: LexborHTMLParser) -> list[Post]:
    """The posts in the order of a thread: each before its answers."""
    found = (post for one in objects_of(tree) for post in _posts(one, DEEPEST))
    return list({(post.author, post.written_at, post.lines): post for post in found}.values())


def _posts(one: Any, deep: int) -> Iterator[Post]:
    if isinstance(one, list):
        for inner in one:
            yield from _posts(inner, deep)
        return
    if not isinstance(one, dict) or not deep:
        return
    if (post := _post(one)) is not None:
        yield post
    for name in BELOW:
        yield from _posts(one.get(name), deep - 1)


def _post(one: Stated) -> Post | None:
    kinds = one.get("@type")
    names = {str(kind).lower() for kind in (kinds if isinstance(kinds, list) else [kinds])}
    text = next((text for name in TEXTS if (text := text_at(one, name))), None)
    if not names & KINDS or text is None:
        return None
    stated = text_at(one, "datePublished") or text_at(one, "dateCreated") or ""
    at, precision = moment(stated) or (None, None)
    return Post(lines=_lines(text), author=text_at(one, "author", "name"), written_at=at, precision=precision)


def _lines(text: str) -> tuple[PostLine, ...]:
    if "</" in text or "<br" in text:
        return tuple(PostLine(line.text) for line in blocks_of(LexborHTMLParser(bounded(text))).lines)
    return tuple(PostLine(" ".join(line.split())) for line in text.splitlines() if line.strip())
