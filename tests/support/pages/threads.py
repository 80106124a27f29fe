"""One thread of our own as the common forum programs write it, each in its own markup."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.support.pages.page_parts import FERRY, FOOT, KILN, MENU, REPLIES, STARS, p, page


@dataclass(frozen=True, slots=True)
class Said:
    """A post of the thread. quotes: whom it quotes, and what of theirs."""

    floor: int
    author: str
    day: str  # as in 2023-04-01 09:11, of China
    lines: tuple[str, ...]
    quotes: tuple[str, str] | None = None


THREAD = (
    Said(1, "青釉", "2023-04-01 09:11", KILN),
    Said(2, "渔火", "2023-04-01 21:30", (REPLIES[0],)),
    Said(3, "河口 老秦", "2023-04-02 07:05", STARS, ("渔火", REPLIES[0])),
    Said(4, "青釉", "2023-04-03 00:00", (FERRY[6], FERRY[7])),
)
THREADS: dict[str, Callable[[Sequence[Said]], str]] = {}


def program(write: Callable[[Sequence[Said]], str]) -> Callable[[Sequence[Said]], str]:
    """Note a way to write a thread under its function's name."""
    THREADS[write.__name__] = write
    return write


def _whole(body: str) -> str:
    return page(f"<div id=nv><ul>{MENU}</ul></div><h1>窑</h1>{body}{FOOT}", "<title>窑 - 河口论坛</title>")


@program
def discuz(posts: Sequence[Said]) -> str:
    def quote(one: Said) -> str:
        if one.quotes is None:
            return ""
        who, words = one.quotes
        return f'<div class="quote"><blockquote><font size="2"><a href="/g">{who} 发表于 2023-4-1 21:30</a></font><br />{words}</blockquote></div><br />'

    rows = "".join(
        f'<div id="post_{n}"><table id="pid{n}" class="plhin"><tr><td class="pls" rowspan="2"><div class="pls favatar"><div class="pi"><div class="authi"><a href="/u{n}" class="xw1">{one.author}</a></div></div>'
        f'<p><em>注册会员</em></p><dl class="pil"><dt>积分</dt><dd>{n * 31}</dd></dl></div></td><td class="plc"><div class="pi"><strong><a href="/p{n}" id="postnum{n}">{"楼主" if one.floor == 1 else f"<em>{one.floor}</em><sup>#</sup>"}</a></strong>'
        f'<div class="pti"><div class="authi"><em id="authorposton{n}">发表于 <span title="{one.day}:00">{n} 天前</span></em><a href="#">只看该作者</a></div></div></div>'
        f'<div class="pct"><div class="t_fsz"><table><tr><td class="t_f" id="postmessage_{n}"><i class="pstatus"> 本帖最后由 {one.author} 于 2023-4-5 10:00 编辑 </i><br />{quote(one)}{"<br />".join(one.lines)}</td></tr></table></div></div></td></tr></table></div>'
        for n, one in enumerate(posts, 900)
    )
    return _whole(f'<div id="postlist">{rows}</div><div id="post_new"></div><p>Powered by Discuz! X3.4</p>').replace(
        "<meta charset=utf-8>", '<meta charset=utf-8><meta name="author" content="Discuz! Team and Comsenz UI Team">'
    )


@program
def phpbb(posts: Sequence[Said]) -> str:
    def quote(one: Said) -> str:
        return (
            ""
            if one.quotes is None
            else f"<blockquote><div><cite>{one.quotes[0]} 写道：<span>↑</span></cite>{one.quotes[1]}</div></blockquote>"
        )

    rows = "".join(
        f'<div id="p{n}" class="post has-profile bg{n % 2}"><div class="inner"><dl class="postprofile"><dt><a href="./memberlist.php?u={n}" class="username">{one.author}</a></dt><dd>帖子：{n}</dd></dl>'
        f'<div class="postbody"><h3>Re: 窑</h3><p class="author"><a class="unread" href="#p{n}">帖子</a><span>由 <strong><a href="./m?u={n}" class="username">{one.author}</a></strong> » </span><time datetime="{one.day.replace(" ", "T")}:00+08:00">周六 4月 01日</time></p>'
        f'<div class="content">{quote(one)}{"<br>".join(one.lines)}</div><div class="signature">知足常乐</div></div></div></div>'
        for n, one in enumerate(posts, 70)
    )
    return _whole(f'<div id="page-body"><h2 class="topic-title"><a href="./viewtopic.php?t=7">窑</a></h2>{rows}</div>')


@program
def discourse(posts: Sequence[Said]) -> str:
    def quote(one: Said) -> str:
        return (
            ""
            if one.quotes is None
            else f'<aside class="quote" data-username="{one.quotes[0]}" data-post="2"><div class="title">{one.quotes[0]}：</div><blockquote><p>{one.quotes[1]}</p></blockquote></aside>'
        )

    rows = "".join(
        f'<div id="post_{one.floor}" itemprop="comment" itemscope itemtype="http://schema.org/Comment" class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator" itemprop="author" itemscope itemtype="http://schema.org/Person"><a itemprop="url" href="/u/{n}"><span itemprop="name">{one.author}</span></a></span>'
        f'<span class="crawler-post-infos"><time itemprop="datePublished" datetime="{one.day.replace(" ", "T")}:00+08:00" class="post-time">四月</time><meta itemprop="dateModified" content="2023-04-09T00:00:00Z"><span itemprop="position">{one.floor}</span></span></div>'
        f'<div class="post" itemprop="text">{quote(one)}{p(one.lines)}</div></div>'
        for n, one in enumerate(posts)
    )
    return _whole(
        f'<div itemscope itemtype="http://schema.org/DiscussionForumPosting"><meta itemprop="headline" content="窑">{rows}</div>'
    )


@program
def xenforo(posts: Sequence[Said]) -> str:
    def quote(one: Said) -> str:
        return (
            ""
            if one.quotes is None
            else f'<blockquote data-attributes="member: 2" data-quote="{one.quotes[0]}" class="bbCodeBlock bbCodeBlock--expandable bbCodeBlock--quote"><div class="bbCodeBlock-title"><a href="/goto">{one.quotes[0]} 说：</a></div><div class="bbCodeBlock-content"><div>{one.quotes[1]}</div></div></blockquote>'
        )

    rows = "".join(
        f'<article class="message message--post" data-author="{one.author}" data-content="post-{n}" id="js-post-{n}"><div class="message-inner"><div class="message-cell message-cell--user"><h4 class="message-name"><a class="username">{one.author}</a></h4><h5 class="userTitle">会员</h5></div>'
        f'<div class="message-cell message-cell--main"><header class="message-attribution"><a href="/p{n}"><time class="u-dt" datetime="{one.day.replace(" ", "T")}:00+0800" title="四月">星期六</time></a><ul class="message-attribution-opposite"><li><a href="/s">分享</a></li><li><a href="/p{n}">#{one.floor}</a></li></ul></header>'
        f'<div class="message-body"><div class="bbWrapper">{quote(one)}{"<br />".join(one.lines)}</div></div></div></div></article>'
        for n, one in enumerate(posts, 31)
    )
    return _whole(f'<div class="block-body js-replyNewMessageContainer">{rows}</div>')


@program
def vbulletin(posts: Sequence[Said]) -> str:
    def quote(one: Said) -> str:
        return (
            ""
            if one.quotes is None
            else f'<div class="bbcode_container"><div class="bbcode_quote"><div class="quote_container"><div class="bbcode_postedby"><strong>{one.quotes[0]}</strong> 发表于 <a href="#x">查看帖子</a></div><div class="message">{one.quotes[1]}</div></div></div></div>'
        )

    rows = "".join(
        f'<li class="postbitlegacy postbitim postcontainer old" id="post_{n}"><div class="posthead"><span class="postdate old"><span class="date">{one.day.split()[0]},&nbsp;<span class="time">{one.day.split()[1]}</span></span></span><span class="nodecontrols"><a name="post{n}" class="postcounter">#{one.floor}</a></span></div>'
        f'<div class="postdetails"><div class="userinfo"><a class="username offline popupctrl" href="/m{n}" title="{one.author} 不在线"><strong>{one.author}</strong></a></div><div class="postbody"><div class="content"><div id="post_message_{n}"><blockquote class="postcontent restore">{quote(one)}{"<br />".join(one.lines)}</blockquote></div></div></div></div></li>'
        for n, one in enumerate(posts, 5)
    )
    return _whole(f'<div id="postlist" class="postlist"><ol id="posts" class="posts">{rows}</ol></div>')


@program
def tieba(posts: Sequence[Said]) -> str:
    def quote(one: Said) -> str:
        return (
            ""
            if one.quotes is None
            else f'<div class="quote_content"><p>{one.quotes[0]} 说：</p><p>{one.quotes[1]}</p></div>'
        )

    rows = "".join(
        f'<div class="l_post l_post_bright j_l_post clearfix"><div class="d_author"><ul class="p_author"><li class="d_name"><a class="p_author_name j_user_card" href="/home">{one.author}</a></li><li class="l_badge"><div class="badge_lv">7</div></li></ul></div>'
        f'<div class="d_post_content_main"><div class="p_content"><cc><div id="post_content_{n}" class="d_post_content j_d_post_content">{quote(one)}{"<br>".join(one.lines)}</div></cc></div>'
        f'<div class="core_reply_tail clearfix"><div class="post-tail-wrap"><span class="tail-info">来自<a href="/app">客户端</a></span><span class="tail-info">{one.floor}楼</span><span class="tail-info">{one.day}</span></div></div></div></div>'
        for n, one in enumerate(posts)
    )
    return _whole(f'<div class="p_postlist" id="j_p_postlist">{rows}</div>')


@program
def microdata(posts: Sequence[Said]) -> str:
    """A program of which nothing is known but what it says by schema.org."""

    def quote(one: Said) -> str:
        return "" if one.quotes is None else f"<blockquote>{one.quotes[0]} 写道：<br>{one.quotes[1]}</blockquote>"

    def post(one: Said, kind: str, below: str = "") -> str:
        return (
            f'<div itemscope itemtype="https://schema.org/{kind}"><span itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">{one.author}</b></span> <meta itemprop="datePublished" content="{one.day.replace(" ", "T")}+08:00"><i itemprop="position">{one.floor}</i>'
            f'<div itemprop="text">{quote(one)}{p(one.lines)}</div>{below}</div>'
        )

    first, *others = posts
    return _whole(post(first, "DiscussionForumPosting", "".join(post(one, "Comment") for one in others)))


@program
def json_ld(posts: Sequence[Said]) -> str:
    """A page that a script fills, with its posts as data."""
    first, *others = (
        {
            "@type": "Comment",
            "text": "\n".join(one.lines),
            "author": {"@type": "Person", "name": one.author},
            "datePublished": one.day.replace(" ", "T") + "+08:00",
        }
        for one in posts
    )
    data = {"@context": "https://schema.org", **first, "@type": "DiscussionForumPosting", "comment": others}
    script = f"<script type=application/ld+json>{json.dumps(data, ensure_ascii=False)}</script>"
    return page("<div id=app>加载中</div>", f"<title>窑</title>{script}")


@program
def unknown(posts: Sequence[Said]) -> str:
    """A program of which nothing is known at all."""

    def quote(one: Said) -> str:
        return (
            "" if one.quotes is None else f"<blockquote>引用 {one.quotes[0]} 的发言：<br>{one.quotes[1]}</blockquote>"
        )

    rows = "".join(
        f"<section class=lou><div class=hd><a class=nickname href=/u/{n}>{one.author}</a><span class=floor-num>{one.floor}楼</span></div><div class=bd>{quote(one)}{p(one.lines)}</div><div class=ft><span>{one.day}</span> <a href=#>回复</a></div></section>"
        for n, one in enumerate(posts)
    )
    return _whole(f"<div class=list>{rows}</div>")
