"""List how common forum programs mark up their posts.

The selectors are those of the programs' default templates, which most of their themes keep.
"""

from dataclasses import dataclass

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
