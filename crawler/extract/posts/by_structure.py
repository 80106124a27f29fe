"""The posts of a page that no known program wrote: the parts of it that hold one time and one name each."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.choosing.bylines_and_buttons import BUTTONS
from crawler.extract.posts.author_and_time import author_in, floor_in, moment
from crawler.extract.posts.post import Post
from crawler.extract.posts.quotations import lines_of
from crawler.extract.posts.relative_time import Told, relative_time
from crawler.extract.publication_time import hour_in

LEAST = 2  # posts of a thread
MOST_NODES = 100_000
MOST_TIMES = 2_000
LONGEST = 60  # characters of what tells a time and little else
_NAMES = ("[class*=author i]", "[class*=user i]", "[class*=nick i]", "[class*=name i]", "[rel~=author]", "cite")
_FLOORS = ("[class*=floor i]", "[class*=num i]", "[class*=index i]")


def posts_by_structure(tree: LexborHTMLParser, fetched_at: datetime | None = None) -> list[Post]:
    """The posts in the order of the page; none where there is no more than one. fetched_at: when the page was."""
    times = list(_times(tree, fetched_at))
    counts = Counter(node.mem_id for time in times for node in _above(time))
    parts = {part.mem_id: (part, time) for time in times if (part := _part(time, counts)) is not None}
    posts = [post for part, time in parts.values() if (post := _post(part, time, fetched_at)) is not None]
    return posts if len(posts) >= LEAST else []


def _times(tree: LexborHTMLParser, fetched_at: datetime | None) -> Iterator[LexborNode]:
    """The elements that tell a day and an hour, or how long ago."""
    root, found = tree.body, 0
    for number, node in enumerate(root.traverse(include_text=True) if root is not None else ()):
        if number >= MOST_NODES or found >= MOST_TIMES:
            return
        if node.tag == "-text" and node.parent is not None and _tells_time(node.text_content or "", fetched_at):
            found += 1
            yield node.parent


def _tells_time(text: str, fetched_at: datetime | None) -> bool:
    said = text.strip()
    return 0 < len(said) <= LONGEST and (hour_in(said) is not None or _ago(said, fetched_at) is not None)


def _ago(said: str, fetched_at: datetime | None) -> Told | None:
    """The moment that words tell which say nothing else, by that of the fetch."""
    if fetched_at is None or not (said.endswith("ago") or BUTTONS.fullmatch(said)):
        return None
    return relative_time(said, fetched_at)


def _above(node: LexborNode) -> Iterator[LexborNode]:
    above: LexborNode | None = node
    while above is not None and above.tag not in ("body", "html", "-undef"):
        yield above
        above = above.parent


def _part(time: LexborNode, counts: Counter[int]) -> LexborNode | None:
    """The largest part of the page that holds this time and no other."""
    part = None
    for node in _above(time):
        if counts[node.mem_id] > 1:
            break
        part = node
    return part


def _post(part: LexborNode, time: LexborNode, fetched_at: datetime | None) -> Post | None:
    author = author_in(part, _NAMES)
    if author is None:
        return None
    lines, quoted = lines_of(part)
    said = (time.text(deep=True) or "").strip()
    at, precision = moment(said) or _ago(said, fetched_at) or (None, None)
    floor = floor_in(part, _FLOORS)
    return Post(lines=lines, quoted=quoted, author=author, written_at=at, precision=precision, floor=floor)
