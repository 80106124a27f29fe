"""Reading sites, shops, applications, and pages whose text is the law itself."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

import json
from collections.abc import Iterator

from tests.support.pages.kinds.kind import KindOfPage, kinds, p, whole
from tests.support.pages.kinds.sentences import Prose
from tests.support.pages.kinds.tails import AGREEMENT, COOKIES, LEGAL, MENU, NOVEL_TAIL, OFFICIAL_FOOT, REPLIES


@kinds
def novel_chapter(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    way = "<a href=2.html>上一章</a> ← <a href=./>章节目录</a> → <a href=4.html>下一章</a> <a href=#>加入书签</a>"
    for name, lines in {
        "prose": prose.paragraphs(20),
        "talk": prose.dialogue(30),
        "short": prose.paragraphs(3),
    }.items():
        forms = {
            "breaks": f"<div id=content>{'<br><br>'.join(f'&nbsp;&nbsp;&nbsp;&nbsp;{line}' for line in (*lines, *NOVEL_TAIL[:2]))}</div>",
            "paragraphs": f"<div class=txt>{p((*lines, *NOVEL_TAIL[:1]))}</div><div class=tip>{NOVEL_TAIL[1]}</div>",
            "recommended": f"<div class=read-content>{p(lines)}</div><div class=wr><h3>同类推荐</h3>{prose.links(16)}</div>",
        }
        for form, inner in forms.items():
            body = f"<div class=nav><ul>{MENU}</ul></div><h1>第三章 雨</h1><div>{way}</div>{inner}<div>{way}</div><div class=ft><p>{NOVEL_TAIL[2]}</p></div>"
            yield (
                f"{name}, {form}",
                KindOfPage(whole(body, title="第三章 雨_渡口_河口小说网"), tuple(lines), ("第三章 雨",)),
            )


@kinds
def shop(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    says = prose.paragraphs(5)
    reviews = "".join(
        f"<div class=rv><b>买家{n}</b><p>{REPLIES[n % 4]}</p><span>颜色：青</span></div>" for n in range(6)
    )
    body = (
        f"<ul>{MENU}</ul><div class=buy><h1>青釉碗</h1><p>¥88.00</p><p>月销 120 | 库存 36 件</p><p>加入购物车</p></div><div class=detail>{p(says)}</div>"
        f"<div class=comment-area><h3>商品评价</h3>{reviews}</div><div class=promise><h4>价格说明</h4><p>划线价格：指商品的专柜价、吊牌价、正品零售价、厂商指导价或该商品的曾经展示过的销售价等，并非原价，仅供参考。</p><p>未划线价格：指商品的实时标价，不因表述的差异改变性质，具体成交价格根据商品参加活动，或使用优惠券等发生变化，最终以订单结算页价格为准。</p></div>"
    )
    yield "description", KindOfPage(whole(body), tuple(says), ("青釉碗",))


@kinds
def application(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    text = prose.paragraphs(8)
    shells = {
        "next": f"<div id=__next><div>加载中…</div></div><script id=__NEXT_DATA__ type='application/json'>{json.dumps({'article': {'body': p(text)}})}</script>",
        "state": f"<div id=app></div><script>window.__INITIAL_STATE__={json.dumps({'post': {'paragraphs': text}}, ensure_ascii=False)}</script>",
        "cookies over it": f"<div id=root></div><script>var d={json.dumps({'c': chr(10).join(text)})}</script><div class=ck>{p(COOKIES)}</div>",
        "agreement over it": f"<div id=root></div><script>var d={json.dumps({'c': chr(10).join(text)})}</script><div class=dlg>{p(AGREEMENT)}</div>",
    }
    for name, shell in shells.items():
        yield name, KindOfPage(whole(shell), tuple(text), ("加载中…",))


@kinds
def pages_of_the_law(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    """Where the words of the law are what a page is for, they are its text."""
    terms = (*AGREEMENT, *LEGAL)
    body = f"<ul>{MENU}</ul><div class=box><h1>用户协议</h1>{p(terms)}</div><div class=ft>{p(OFFICIAL_FOOT)}</div>"
    yield "terms of use", KindOfPage(whole(body, title="用户协议"), terms, ("用户协议",))
    articles = [f"第{n}条　{prose.sentence()}未经许可，不得转载、复制或者以其他方式使用。" for n in "一二三四五六七八"]
    body = f"<ul>{MENU}</ul><h1>著作权管理办法</h1><div class=law>{p(articles)}</div><div class=ft>{p(OFFICIAL_FOOT)}</div>"
    yield "statute", KindOfPage(whole(body, title="著作权管理办法"), tuple(articles), ("著作权管理办法",))
    lines = prose.paragraphs(4)
    lines[1] += "版权所有，侵权必究，这八个字他一直刻在招牌上。"
    lines[3] = "他在声明里写道：“本人对文中观点负责，如有侵权请联系我。”" + lines[3]
    body = f"<ul>{MENU}</ul><div class=c>{p(lines)}</div><div class=f>{p(LEGAL)}</div>"
    yield "an article that quotes it", KindOfPage(whole(body), tuple(lines))


@kinds
def pages_without_a_text(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    rows = prose.links(60, "<li><a href=/{n}.html>{title}</a> <span>2023-05-01</span></li>")
    yield (
        "front page",
        KindOfPage(whole(f"<ul>{MENU}</ul><div class=ls><ul>{rows}</ul></div>{p(OFFICIAL_FOOT)}"), ()),
    )
    chapters = "".join(f"<dd><a href={n}.html>第{n}章 {prose.title()[:8]}</a></dd>" for n in range(1, 90))
    yield "chapters", KindOfPage(whole(f"<ul>{MENU}</ul><dl><dt>《渡口》正文</dt>{chapters}</dl>"), ())


@kinds
def an_article_among_many_links(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for name, (before, after) in {"before": (400, 0), "after": (0, 400), "both": (200, 200)}.items():
        text = prose.paragraphs(2)
        body = f"<div class=l1>{prose.links(before, '<a href=/{n}>{title}</a> ')}</div><div class=l2><h1>窑</h1>{p(text)}</div><div class=l3>{prose.links(after, '<p><a href=/{n}>{title}</a>（05-01）</p>')}</div>"
        yield name, KindOfPage(whole(body), tuple(text), ("窑",))
        inside = f"<div class=l2><h1>窑</h1>{prose.links(before // 10, '<p><a href=/{n}>{title}</a></p>')}{p(text)}{prose.links(after // 10, '<p>· <a href=/{n}>{title}</a> 2023-05-01</p>')}</div>"
        yield f"{name}, inside", KindOfPage(whole(inside), tuple(text), ("窑",))
