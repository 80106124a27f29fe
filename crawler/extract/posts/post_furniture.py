"""What a forum's program writes around and into a post: its floor, its time, that it was edited.

An element of a post is such where it says nothing else than who wrote the post, when, and words of buttons; what
stands in the post's body is somebody's own, but for the sentence that the program puts there when a post is edited.
"""

import re
from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.choosing.bylines_and_buttons import ACTION, DATE_OR_COUNT
from crawler.extract.posts.in_markup import PostNode, posts_of_tree
from crawler.extract.posts.softwares import Software

_LONGEST = 80  # characters of one
_MOST = 400  # elements of a post that are looked at
_WORDS = (
    r"本帖|最后|最後|编辑|編輯|总共|回帖|跟帖|楼层|樓層|来自|來自|客户端|客戶端|手机版?|电脑版|[iI]Phone|Android|"
    r"星期[一二三四五六日天]|周[一二三四五六日]|[一二三四五六七八九十]{1,2}月|[由于於发第楼樓层層月日年时時分次]|半小[时時]前|Re\b"
)
_WRITTEN = re.compile(rf"(?>{DATE_OR_COUNT}|{ACTION}|{_WORDS}|[\W_])++")
# What Discuz! puts into a post, as an element of its own.
_EDITED = re.compile(r"本(?:帖|贴|主题|文)(?:最后|最後)由\s.{1,40}?\s[于於]\s.{4,30}?\s?(?:编辑|編輯)")
_EDITED_IN = "i, em, .pstatus"
# What people say of a post below it is theirs, however short.
_OF_OTHERS = re.compile(r"(?:^|\s)(?:cm|pst\w*|lzl\w*|j_lzl\w*)(?:\s|$)|comment_|signature|(?:^|\s)sign(?:\s|$)")


def remove_post_furniture(tree: LexborHTMLParser, programs: Sequence[Software]) -> None:
    """Take it out of the tree of a page that one of these programs wrote."""
    posts = posts_of_tree(tree, programs)
    bodies = {post.body.mem_id for post in posts}
    around = {above.mem_id for post in posts for above in _above(post.body)}
    found = [one for post in posts for one in (*_outside(post, bodies, around), *_inside(post.body))]
    for node in {node.mem_id: node for node in found}.values():
        node.decompose()


def _above(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    while above is not None and above.tag not in ("body", "html", "-undef"):
        yield above
        above = above.parent


def _outside(post: PostNode, bodies: set[int], around: set[int]) -> Iterator[LexborNode]:
    """The largest elements of a post that are furniture."""
    waiting, left = [post.node], _MOST
    while waiting and left:
        left -= 1
        for child in waiting.pop().iter():
            if child.mem_id in bodies or _OF_OTHERS.search(_label(child)):
                continue
            if child.mem_id in around or not _is_written_by_program(child, post.author):
                waiting.append(child)
            else:
                yield child


def _inside(body: LexborNode) -> Iterator[LexborNode]:
    for node in body.css(_EDITED_IN)[:_MOST]:
        if _EDITED.fullmatch(_text(node)):
            yield node


def _is_written_by_program(node: LexborNode, author: str) -> bool:
    text = _text(node)
    return 0 < len(text) <= _LONGEST and _WRITTEN.fullmatch(text.replace(author, " ")) is not None


def _text(node: LexborNode) -> str:
    return " ".join((node.text(deep=True) or "").split())


def _label(node: LexborNode) -> str:
    attributes = node.attributes
    return f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower()
