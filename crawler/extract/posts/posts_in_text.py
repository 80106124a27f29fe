"""Where in a text the posts of its pages stand."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from rapidfuzz.distance import Indel

from crawler.extract.posts.post import PlacedPost, Post, Quotation

Stretch = tuple[int, int]  # code points


def placed(posts: Sequence[Post], text: str) -> tuple[PlacedPost, ...]:
    """The posts of which a line stands in the text, in its order: by the longest row of lines that both have."""
    shown = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in shown)]
    said = [(number, line) for number, post in enumerate(posts) for line in post.lines]
    found: dict[int, list[tuple[Stretch, int | None]]] = {}  # lines with their quotations, by post
    for here, there in _common([line.text for _, line in said], shown):
        number, line = said[here]
        found.setdefault(number, []).append(((starts[there], starts[there] + len(line.text)), line.quotation))
    return tuple(_placed(posts[number], lines) for number, lines in found.items())


def _common(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int]]:
    for step in Indel.opcodes(one, other):
        if step.tag == "equal":
            yield from zip(range(step.src_start, step.src_end), range(step.dest_start, step.dest_end), strict=True)


def _placed(post: Post, lines: Sequence[tuple[Stretch, int | None]]) -> PlacedPost:
    quotations = (
        _quotation([stretch for stretch, _ in group], post.quoted[number])
        for number, group in groupby(lines, key=lambda one: one[1])
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


def _quotation(stretches: Sequence[Stretch], author: str | None) -> Quotation:
    return Quotation(stretches[0][0], stretches[-1][1], author)
