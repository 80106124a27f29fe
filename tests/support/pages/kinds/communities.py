"""Forums, questions and answers, encyclopaedias: text of many hands, each piece with its buttons and figures."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

from collections.abc import Iterator

from tests.support.pages.kinds.kind import KindOfPage, kinds, p, whole
from tests.support.pages.kinds.sentences import Prose
from tests.support.pages.kinds.tails import MENU, REPLIES


@kinds
def discuz_thread(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, (paragraphs, replies) in {"long first": (8, 3), "short posts": (1, 9), "first alone": (5, 0)}.items():
        posts = [prose.paragraphs(paragraphs)] + [[prose.sentence()] for _ in range(replies)]
        rows = "".join(
            f"<div id=post_{n}><table><tr><td class=pls><a href=/u{n}>渔火{n}</a><p>主题 {n} | 帖子 {n * 7} | 积分 {n * 31}</p><p>注册会员</p></td>"
            f"<td class=plc><div class=pi>发表于 2023-5-1 09:{n + 10} | <a href=#>只看该作者</a></div><div class=t_f>{'<br>'.join(post)}</div>"
            f"<div class=sign>{'知足常乐，随遇而安。' if n % 2 else ''}</div><div class=po><a>回复</a> <a>举报</a></div></td></tr></table></div>"
            for n, post in enumerate(posts)
        )
        body = (
            f"<div id=toptb>设为首页 收藏本站</div><div id=nv><ul>{MENU}</ul></div><div id=pt>河口论坛 › 文学 › 散文 › 查看内容</div>"
            f"<div id=postlist>{rows}</div><div id=f_pst>您需要登录后才可以回帖 登录 | 立即注册　本版积分规则</div>"
            f"<div id=ft>Powered by Discuz! X3.4 © 2001-2023 小黑屋|手机版|Archiver|河口论坛 GMT+8, 2023-5-2 10:00 , Processed in 0.05 second(s), 12 queries .</div>"
        )
        lines = [line for post in posts for line in post]
        yield size, KindOfPage(whole(body), tuple(lines), ("知足常乐，随遇而安。",))


@kinds
def questions_and_answers(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, count in {"three answers": 3, "one answer": 1}.items():
        ask, detail = "为什么老码头的台阶要修成单数？", prose.sentence()
        answers = [prose.paragraphs(3) for _ in range(count)]
        rows = "".join(
            f"<div class=ans><div class=who><a href=/p{n}>答主{n}</a><span>修船的</span></div><div class=rich>{p(one)}</div>"
            f"<div class=time>发布于 2023-05-01 09:30・IP 属地河口</div><div>赞同 {n}2 添加评论 分享 收藏 喜欢</div></div>"
            for n, one in enumerate(answers)
        )
        body = (
            f"<ul>{MENU}</ul><div class=mainc><div class=q><h1>{ask}</h1><div class=d>{p([detail])}</div><div>关注问题 写回答 邀请回答</div></div>{rows}</div>"
            f"<div class=side><h3>相关问题</h3><ul>{prose.links(6)}</ul></div><div>帮助中心 隐私保护指引 申请开通机构号 联系我们</div>"
        )
        lines = [detail, *(line for one in answers for line in one)]
        yield size, KindOfPage(whole(body), tuple(lines), (ask,))


@kinds
def wiki_article(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, count in {"long": 8, "stub": 1}.items():
        text = prose.paragraphs(count)
        contents = "".join(f"<li><a href=#s{n}>{n} 第{n}节</a></li>" for n in range(6))
        boxes = "".join(
            f"<tr><th>{prose.title()[:6]}</th><td>{prose.links(9, '<a href=/w/{n}>{title}</a> · ')}</td></tr>"
            for _ in range(5)
        )
        body = (
            f"<div id=mw-panel><ul>{MENU}</ul></div><div id=content><h1>缫丝</h1><div id=mw-content-text><div class=toc><h2>目录</h2><ul>{contents}</ul></div>{p(text)}"
            f"<table class=navbox>{boxes}</table></div><div id=catlinks>分类：<a href=/c1>纺织</a> | <a href=/c2>手工业</a></div></div>"
            f"<div id=footer><ul><li>本页面最后修订于2023年5月1日 (星期一) 09:30。</li><li>本站的全部文字在知识共享 署名-相同方式共享 4.0协议之条款下提供，附加条款亦可能应用。（请参阅使用条款）</li><li>隐私政策</li><li>免责声明</li></ul></div>"
        )
        yield size, KindOfPage(whole(body), tuple(text), ("缫丝",))


@kinds
def encyclopaedia_entry(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    text = prose.paragraphs(6)
    facts = "".join(
        f"<dt>{name}</dt><dd>{value}</dd>"
        for name, value in (("中文名", "缫丝"), ("所属学科", "纺织"), ("起源", "河口"))
    )
    body = (
        f"<ul>{MENU}</ul><div class=lemma><h1>缫丝</h1><dl class=basic>{facts}</dl>{''.join(f'<div class=para>{one}<sup>[{n}]</sup></div>' for n, one in enumerate(text))}</div>"
        f"<div class=tips><p>词条图册 更多图册</p><p>词条统计 浏览次数：1024次 编辑次数：12次历史版本 最近更新：青釉（2023-05-01）</p></div><div class=hot><ul>{prose.links(20)}</ul></div>"
    )
    yield (
        "with references",
        KindOfPage(whole(body), tuple(text), ("缫丝", "中文名", "所属学科", "纺织", "起源", "河口")),
    )


@kinds
def microblog_with_reposts(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    text = prose.sentence() + prose.sentence()
    others = "".join(
        f"<div class=rp><a href=/u{n}>网友{n}</a>：{REPLIES[n % 4]} <span>今天 09:{n + 10}</span></div>"
        for n in range(3)
    )
    body = f"<ul>{MENU}</ul><div class=wb><div class=nm>林溪在河口</div><div class=tx>{text}</div><div>转发 12 评论 3 赞 88</div></div><div class=comments>{others}</div><div class=hot><ul>{prose.links(10)}</ul></div>"
    yield "one post", KindOfPage(whole(body), (text,))
