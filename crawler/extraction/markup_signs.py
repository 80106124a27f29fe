"""List how common forum programs mark up their posts, and search the bytes of a page for signs before parsing.

The selectors are those of the programs' default templates, which most of their themes keep.
"""

import re
from dataclasses import dataclass
from typing import Final

import re2  # searches for many words at once


@dataclass(frozen=True, slots=True, kw_only=True)
class ForumSoftware:
    """Describe the posts of a program by CSS selectors below `post`. "@name" is an attribute of the post itself.

    Of several selectors the first one with a text counts. signs: words of the markup, one of which is in each of its
    pages. opening: the posts that may open a thread, if others may comment on an article.
    """

    signs: tuple[str, ...]
    post: str
    body: tuple[str, ...]
    author: tuple[str, ...]
    time: tuple[str, ...]
    floor: tuple[str, ...] = ()
    opening: str | None = None


FORUM_SOFTWARE = (
    ForumSoftware(  # Discuz! X, its mobile pages
        signs=("postmessage_", 'class="t_f"', "class=t_f", "authorposton"),
        post="div[id^=post_], div[id^=pid], table[id^=pid]",
        body=("[id^=postmessage_]", ".t_f", ".message"),
        author=(".pls .authi a", ".authi a", ".postauthor a", ".pls a"),
        time=("[id^=authorposton] span[title]", "[id^=authorposton]", ".authi em", ".pi", ".authi", ".mtime"),
        floor=("[id^=postnum]", ".pi strong a", ".authi .y"),
    ),
    ForumSoftware(  # phpBB 3
        signs=("postbody", "viewtopic.php"),
        post="div.post",
        body=(".content",),
        author=(".author [class*=username]", ".postauthor", ".postprofile [class*=username]"),
        time=(".author time", ".author"),
        floor=(".post-number", ".author .number"),
    ),
    ForumSoftware(  # Discourse, with scripts and without
        signs=("crawler-post", "data-post-id", "topic-post"),
        post=".crawler-post, .topic-post, article[data-post-id]",
        body=(".cooked", ".post[itemprop=text]", ".post"),
        author=(".creator [itemprop=name]", ".names .username", ".names", ".creator"),
        time=("time[datetime]", ".relative-date", ".post-time"),
        floor=("[itemprop=position]", "@data-post-number", "@id"),
    ),
    ForumSoftware(  # XenForo 1 and 2
        signs=("bbWrapper", "messageText"),
        post="article.message, li.message",
        body=(".bbWrapper", ".messageText"),
        author=("@data-author", ".message-name", ".username"),
        time=(".message-attribution time", "time", ".DateTime"),
        floor=(".message-attribution-opposite a", ".postNumber"),
    ),
    ForumSoftware(  # vBulletin 3 and 4
        signs=("post_message_", "postbit"),
        post="li.postcontainer, li[class*=postbit], table[id^=post]",
        body=("[id^=post_message_] .postcontent", ".postcontent", "[id^=post_message_]"),
        author=(".bigusername", ".username", ".username_container a"),
        time=(".postdate", ".thead"),
        floor=(".postcounter", ".thead a[id^=postcount]", ".thead"),
    ),
    ForumSoftware(  # Baidu Tieba
        signs=("d_post_content",),
        post=".l_post",
        body=(".d_post_content",),
        author=(".p_author_name", ".d_name"),
        time=(".tail-info", ".post-tail-wrap span", ".p_tail span"),
        floor=(".tail-info", ".post-tail-wrap span", ".p_tail span"),
    ),
    ForumSoftware(  # NodeBB
        signs=('component="post/content"',),
        post="[component=post]",
        body=("[component='post/content']",),
        author=("@data-username", "[component='user/username']"),
        time=(".timeago", "time"),
    ),
    ForumSoftware(  # Flarum
        signs=("Post-body",),
        post=".PostStream-item, .Post, #flarum-content article",
        body=(".Post-body",),
        author=(".PostUser-name .username", ".PostUser-name"),
        time=(".PostMeta time", "time"),
        floor=("@data-number", ".PostMeta-number"),
    ),
    ForumSoftware(  # any program that uses schema.org's microdata
        signs=("DiscussionForumPosting", "schema.org/Comment", "schema.org/UserComments", "schema.org/Answer"),
        post=", ".join(
            f"[itemtype*='schema.org/{kind}']"
            for kind in ("DiscussionForumPosting", "Comment", "UserComments", "Answer", "Question")
        ),
        body=("[itemprop=text]", "[itemprop=articleBody]", "[itemprop=commentText]", "[itemprop=description]"),
        author=(
            "[itemprop=author] [itemprop=name]",
            "[itemprop=creator] [itemprop=name]",
            "[itemprop=author]",
            "[itemprop=creator]",
        ),
        time=("[itemprop=datePublished]", "[itemprop=dateCreated]", "[itemprop=commentTime]"),
        floor=("[itemprop=position]",),
        opening="[itemtype*='schema.org/DiscussionForumPosting'], [itemtype*='schema.org/Question']",
    ),
)
_SOFTWARE_SIGN = re2.compile(
    "|".join(re2.escape(sign) for software in FORUM_SOFTWARE for sign in software.signs).encode()
)


def has_forum_signs(markup: bytes) -> bool:
    """Tell whether some program may have written a page, in any charset that includes ASCII."""
    return _SOFTWARE_SIGN.search(markup) is not None


# Signs of tags in the markup, all searched at once.
#
# An absent sign cannot be in the tree, where searching for it takes ten times as long.


BASE_TAG: Final = "<base"
STYLE_TAG: Final = "<style"
LINKED_DATA_TYPE: Final = "application/ld"
AUTHOR_WORD: Final = "author"
BYLINE_WORD: Final = "byline"
TIME_TAG: Final = "<time"
TIME_SIGNS: Final = ("datepublished", "pubtime", "publish_time", "news-time", "data-ptime")  # of time elements
WECHAT_SIGN: Final = "js_content"  # the element of an article's text
FORUM_SIGN: Final = "forum"  # a sign of a program that writes posts


def scan_markup(markup: bytes) -> frozenset[str]:
    """Return the signs that occur in the markup, in any letter case. markup: in UTF-8."""
    return frozenset(_PATTERN_NAMES[number] for number in _PATTERN_SET.Match(markup) or ())


_SCAN_PATTERNS = {
    **{
        f"(?i){word}": word
        for word in (BASE_TAG, STYLE_TAG, LINKED_DATA_TYPE, AUTHOR_WORD, BYLINE_WORD, TIME_TAG, WECHAT_SIGN)
    },
    **{f"(?i){sign}": TIME_TAG for sign in TIME_SIGNS},
    **{re2.escape(sign): FORUM_SIGN for software in FORUM_SOFTWARE for sign in software.signs},  # case-sensitive
}
_PATTERN_NAMES = tuple(_SCAN_PATTERNS.values())
_PATTERN_SET = re2.Set.SearchSet()
for _pattern in _SCAN_PATTERNS:
    _PATTERN_SET.Add(_pattern)
_PATTERN_SET.Compile()


_DATE_AND_TIME = re.compile(rb"(?:19|20)\d\d(?:[-/.]|\D{2,3})\d{1,2}(?:[-/.]|\D{2,3})\d{1,2}\D{1,9}\d{1,2}:\d\d")
_AGO_UNITS = ("天前", "小时前", "分钟前", "小時前", "分鐘前")
_AGO_PATTERN = re.compile(
    b"|".join(
        (rb"\d [a-z]{3,6}s? ago\b", *(ago_unit.encode(c) for ago_unit in _AGO_UNITS for c in ("utf-8", "gb18030")))
    )
)


def may_hold_posts(body: bytes) -> bool:
    """Tell whether it is worth searching for posts: true for every thread, and for almost no article."""
    return has_forum_signs(body) or any(
        sum(1 for _ in pattern.finditer(body)) > 1 for pattern in (_DATE_AND_TIME, _AGO_PATTERN)
    )
