"""News portals, government sites and magazines: an article between menus, credits, notices and lists of other news."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

from collections.abc import Iterator

from tests.support.pages.kinds.kind import KindOfPage, kinds, p, whole
from tests.support.pages.kinds.sentences import Prose
from tests.support.pages.kinds.tails import (
    AGREEMENT,
    COOKIES,
    CREDITS,
    DISCLAIMER,
    INVESTMENT,
    INVITES,
    LEGAL,
    MENU,
    OFFICIAL_FOOT,
    TRADITIONAL,
    replies,
    teasers,
)

_SIZES = {"long": (12, 3), "short": (3, 1), "one paragraph": (1, 2)}


def _texts(prose: Prose) -> Iterator[tuple[str, str, list[str]]]:
    for size, (paragraphs, sentences) in _SIZES.items():
        yield size, prose.title(), prose.paragraphs(paragraphs, sentences)


@kinds
def portal_with_notices_in_the_article(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, title, text in _texts(prose):
        ends = {
            "credits": "".join(f"<p>{one}</p>" for one in CREDITS),
            "legal paragraphs": p(LEGAL),
            "traditional": p(TRADITIONAL),
            "disclaimer": f"<p>声明：{DISCLAIMER}</p>",
            "invitations": p(INVITES),
            "risk": f"<p>{INVESTMENT}</p><p>（编辑：林溪）</p>",
            "all": p((*CREDITS, *INVITES, *LEGAL)),
        }
        for name, end in ends.items():
            body = (
                f"<div class=top><ul>{MENU}</ul></div><div class=w1200><h1>{title}</h1><div class=info>2023-05-01 09:30　河口网</div>"
                f"<div class=con>{p(text)}{end}</div><div class=box2><h3>热点新闻</h3><ul>{prose.links(20)}</ul></div></div>"
                f"<div class=btm>{p(OFFICIAL_FOOT)}</div>"
            )
            yield f"{size}, {name}", KindOfPage(whole(body), tuple(text), (title,))


@kinds
def portal_with_notices_beside_the_article(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, title, text in _texts(prose):
        besides = {
            "legal": f"<div class=x7>{p(LEGAL)}</div>",
            "agreement": f"<div class=x8><h4>用户协议</h4>{p(AGREEMENT)}</div>",
            "cookies": f"<div class=x9>{p(COOKIES)}<a href=#>全部接受</a></div>",
            "teasers": f"<div class=x3>{teasers(prose, 12)}</div>",
            "teasers and legal": f"<div class=x3>{teasers(prose, 8)}</div><div class=x5>{p(LEGAL)}</div>",
            "replies": f"<div class=x4><h3>网友评论</h3><ul>{replies(12)}</ul></div>",
        }
        for name, beside in besides.items():
            body = (
                f"<div class=a1><ul>{MENU}</ul></div><div class=b1><div class=c1><h1>{title}</h1>{p(text)}</div>{beside}"
                f"<div class=d1><ul>{prose.links(40)}</ul></div></div>"
            )
            yield f"{size}, {name}", KindOfPage(whole(body), tuple(text), (title,))


@kinds
def portal_on_an_old_layout_table(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, title, text in _texts(prose):
        rows = prose.links(60, "<tr><td>·<a href=/{n}.htm>{title}</a></td><td>05-01</td></tr>")
        body = (
            f"<table width=960><tr><td><ul>{MENU}</ul></td></tr></table><table width=960><tr><td width=200><table>{rows}</table></td>"
            f"<td><table><tr><td align=center><b>{title}</b></td></tr><tr><td>发布时间：2009-5-1 9:30:00　点击：1203</td></tr>"
            f"<tr><td>　　{'<br>　　'.join(text)}<br></td></tr><tr><td align=right>【<a href=#>打印本页</a>】【<a href=#>关闭窗口</a>】</td></tr></table></td></tr></table>"
            f"<table width=960><tr><td align=center>{'<br>'.join(OFFICIAL_FOOT)}</td></tr></table>"
        )
        yield size, KindOfPage(whole(body), tuple(text), (title,))


@kinds
def government_notice(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, title, text in _texts(prose):
        head = (
            "<table><tr><td>索 引 号：</td><td>000000/2023-00012</td><td>主题分类：</td><td>城乡建设</td></tr>"
            "<tr><td>发文机关：</td><td>河口县人民政府</td><td>成文日期：</td><td>2023年05月01日</td></tr></table>"
        )
        sign = ("河口县人民政府", "2023年5月1日")
        body = (
            f"<div class=header><ul>{MENU}</ul></div><div class=crumbs>当前位置：<a href=/>首页</a> &gt; <a href=/z>政务公开</a> &gt; 正文</div>"
            f"<div class=detail><h1>{title}</h1>{head}<div class=TRS_Editor>{p(text)}<p align=right>{sign[0]}</p><p align=right>{sign[1]}</p></div>"
            f"<p>扫一扫在手机打开当前页</p><p>【打印本页】　【关闭窗口】</p></div><div class=links>{prose.links(30)}</div><div class=foot>{p(OFFICIAL_FOOT)}</div>"
        )
        yield size, KindOfPage(whole(body), tuple(text), (title, *sign))


@kinds
def mobile_news(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, title, text in _texts(prose):
        body = (
            f"<div class=m-bar><a href=/>河口网</a><a href=/app>打开App</a></div><section class=m-art><h1>{title}</h1><span>河口网 05-01 09:30</span>"
            f"{p(text)}<div>打开App，查看更多精彩内容</div></section><section><div>特别声明：{DISCLAIMER}</div></section>"
            f"<section><h2>精彩推荐</h2>{teasers(prose, 10)}</section><div>© 河口网 触屏版 电脑版</div>"
        )
        yield size, KindOfPage(whole(body), tuple(text), (title,))


@kinds
def amp_and_print_forms(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, title, text in _texts(prose):
        amp = (
            f"<amp-sidebar><ul>{MENU}</ul></amp-sidebar><article><h1>{title}</h1>{p(text)}</article>"
            f"<amp-list><div>{teasers(prose, 5)}</div></amp-list><amp-user-notification>{p(COOKIES)}</amp-user-notification>"
        )
        yield f"amp, {size}", KindOfPage(whole(amp), tuple(text), (title,))
        printed = (
            f"<p>河口网 - 打印版</p><hr><h2>{title}</h2>{p(text)}<hr><p>原文地址：http://news.test/2023/0501/1.html</p>"
            f"<p>{LEGAL[0]}</p><p><a href=javascript:print()>打印</a></p>"
        )
        yield f"print, {size}", KindOfPage(whole(printed), tuple(text), (title,))


@kinds
def picture_story(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    captions = [prose.sentence() for _ in range(8)]
    slides = "".join(f"<li><img src={n}.jpg><p>{one}</p><span>{n}/8</span></li>" for n, one in enumerate(captions, 1))
    body = f"<ul>{MENU}</ul><h1>图集</h1><div class=pics><ul>{slides}</ul></div><div class=next>下一图集</div><ul>{prose.links(12)}</ul>"
    yield "captions", KindOfPage(whole(body), tuple(captions), ("图集",))
