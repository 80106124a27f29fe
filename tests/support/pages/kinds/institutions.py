"""Offices, companies, museums and banks: notices, tables, questions answered, and rights stated in words of their own."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

from collections.abc import Iterator

from tests.support.pages.kinds.kind import KindOfPage, kinds, p, whole
from tests.support.pages.kinds.sentences import Prose
from tests.support.pages.kinds.tails import LEGAL, MENU, OFFICIAL_FOOT

RIGHTS = {
    "press": (
        "本报记者采写的稿件，其著作权归河口日报社专有；任何单位或个人如需使用，须事先取得书面同意，并支付相应的稿酬。",
        "转发来自其他渠道的文字和照片，是为了让读者获得更多的消息，如权利人认为不妥，可致电编辑部，我们会尽快撤下。",
    ),
    "bank": (
        "以上信息仅作为一般性介绍，不应被视为要约或者建议；河口银行不就其完整性和及时性作出任何陈述，亦不承担由此引致的任何后果。",
        "产品的过往业绩不预示其未来表现，购买之前请仔细阅读产品说明书，并根据自身的承受能力审慎决定。",
    ),
    "company": (
        "除历史事实之外，本新闻稿中的某些表述属于前瞻性陈述，实际结果可能因各种因素而与之存在重大差异，公司没有义务更新这些陈述。",
        "“河口”及其图形标识是河口水务股份有限公司的注册商标，其他名称归各自所有者所有。",
    ),
    "health": (
        "本页内容仅供健康科普之用，不能代替医生的诊断和治疗。如有不适，请及时前往正规医疗机构就诊。",
        "我们尽力保证内容准确，但不对因使用这些信息而产生的直接或间接损失负责。",
    ),
    "library": (
        "馆藏图像可供个人学习与研究之用，如需出版或用于商业目的，请填写申请表并与本馆版权办公室联络。",
        "若您认为某件藏品的公开侵害了您的权益，请告知我们，本馆将在核查后作出处理。",
    ),
    "english": (
        "The information on this website is provided for general purposes only and does not constitute legal or financial advice.",
        "No part of this page may be reproduced in any form without prior written permission of the publisher.",
    ),
    "traditional": (
        "本網頁所載資料只供一般參考之用，本會已盡力確保資料準確，惟不會就任何錯漏或因使用該等資料而引致的損失負上責任。",
        "本頁之文字及圖像受版權保護，未獲本會事先書面批准，不得複製、分發或以任何形式傳播。",
    ),
}
_SIZES = {"long": (9, 2), "short": (3, 1), "one paragraph": (1, 1)}


@kinds
def article_with_rights_in_words_of_its_own(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, (paragraphs, sentences) in _SIZES.items():
        for whose, rights in RIGHTS.items():
            title, text = prose.title(), prose.paragraphs(paragraphs, sentences)
            inside = f"<div class=m><h1>{title}</h1><div class=txt>{p((*text, *rights))}</div></div>"
            beside = (
                f"<div class=m><h1>{title}</h1><div class=txt>{p(text)}</div><div class=say>{p(rights)}</div></div>"
            )
            apart = f"<div class=m><h1>{title}</h1><div class=txt>{p(text)}</div></div><div class=btm><div>{p(rights)}</div><ul>{prose.links(6)}</ul></div>"
            for where, inner in {"inside": inside, "beside": beside, "apart": apart}.items():
                body = f"<div class=hd><ul>{MENU}</ul></div>{inner}<div class=ft>{p(OFFICIAL_FOOT)}</div>"
                yield f"{whose}, {where}, {size}", KindOfPage(whole(body), tuple(text), (title,))


@kinds
def questions_that_are_often_asked(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    asked = [f"怎样查询第{n}号水闸的开放时间？" for n in range(1, 9)]
    answered = [prose.sentence() for _ in asked]
    lines = tuple(line for pair in zip(asked, answered, strict=True) for line in pair)
    forms = {
        "list": f"<dl>{''.join(f'<dt>{q}</dt><dd>{a}</dd>' for q, a in zip(asked, answered, strict=True))}</dl>",
        "details": "".join(
            f"<details><summary>{q}</summary><p>{a}</p></details>" for q, a in zip(asked, answered, strict=True)
        ),
        "anchors": f"<ul>{''.join(f'<li><a href=#q{n}>{q}</a></li>' for n, q in enumerate(asked))}</ul>"
        + "".join(f"<h3 id=q{n}>{q}</h3><div>{a}</div>" for n, (q, a) in enumerate(zip(asked, answered, strict=True))),
        "collapsed": "".join(
            f"<div class=faq><div class=q>{q}</div><div class=a style='display:none'>{a}</div></div>"
            for q, a in zip(asked, answered, strict=True)
        ),
    }
    for name, inner in forms.items():
        body = f"<ul>{MENU}</ul><div class=c><h1>常见问题</h1>{inner}</div><div class=r><h3>办事指南</h3><ul>{prose.links(15)}</ul></div><div class=ft>{p(OFFICIAL_FOOT)}</div>"
        yield name, KindOfPage(whole(body), lines, ("常见问题",))


@kinds
def tables_of_data(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    rows = [(f"{prose.title()[:8]}{n}", str(1200 + 37 * n), f"{n * 3}.5%", "正常") for n in range(24)]
    table = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    cells = tuple(cell for row in rows for cell in row)
    for name, count in {"with a paragraph": 1, "with four": 4}.items():
        text = prose.paragraphs(count)
        body = f"<ul>{MENU}</ul><div class=c><h1>水位公报</h1>{p(text)}<table>{table}</table></div><ul>{prose.links(20)}</ul>"
        yield name, KindOfPage(whole(body), (*text, *cells), ("水位公报",))


@kinds
def company_news(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    about = (
        "关于河口水务：河口水务股份有限公司成立于一九九八年，总部位于河口，是一家专注于供水与净水的企业，业务遍及十二个省份。",
        "媒体联系：林溪　电话：000-00000000　邮箱：press@hekou.test",
    )
    for size, (paragraphs, sentences) in _SIZES.items():
        title, text = prose.title(), prose.paragraphs(paragraphs, sentences)
        solutions = "".join(
            f"<div class=col><h5>产品{n}</h5>{prose.links(8, '<a href=/p{n}>{title}</a>')}</div>" for n in range(5)
        )
        forms = "<p>感谢您对我们的关注，请留下您的联系方式，我们的顾问将在一个工作日之内与您联系。</p><p>提交即表示您同意我们的隐私政策。</p>"
        body = (
            f"<header class=hd><ul>{MENU}</ul></header><div class=wrap><h1>{title}</h1><div class=meta>2023-05-01 | 公司新闻</div><div class=rich>{p(text)}</div>"
            f"<div class=pn><p>上一篇：<a href=/1>{prose.title()}</a></p><p>下一篇：<a href=/2>{prose.title()}</a></p></div></div>"
            f"<div class=ask>{forms}</div><div class=mega>{solutions}</div><div class=bt><p>地址：河口县东街八号　邮编：000000　电话：000-00000000</p>{p(OFFICIAL_FOOT[1:2])}</div>"
        )
        yield size, KindOfPage(whole(body), tuple(text), (title, *about))


@kinds
def newsletter(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    parts = [(prose.title(), prose.paragraphs(2)) for _ in range(5)]
    inner = "".join(
        f"<tr><td><h2>{title}</h2>{p(text)}<p><a href=/r>继续阅读 »</a></p></td></tr>" for title, text in parts
    )
    body = (
        f"<table width=600><tr><td>无法正常显示这封邮件？<a href=/v>在浏览器中查看</a></td></tr><tr><td><img src=l.png></td></tr>{inner}"
        "<tr><td>您收到这封邮件是因为您在河口书店订阅了每周通讯。如果您不想再收到我们的邮件，可以随时<a href=/u>退订</a>。</td></tr><tr><td>河口书店，河口县东街八号</td></tr></table>"
    )
    titles = tuple(title for title, _ in parts)
    yield "five parts", KindOfPage(whole(body), tuple(line for _, text in parts for line in text), titles)


@kinds
def product_with_notes(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    notes = (
        "*续航数据来自河口实验室，实际使用时间会因网络环境、使用习惯等因素而有所不同，请以实际体验为准。",
        "**产品图片及屏幕显示内容为效果示意，仅作参考；受批次和供应影响，我们可能在不另行通知的情况下改进产品规格。",
        "1. 活动最终解释权归河口电器所有。",
    )
    for size, count in {"long": 6, "short": 2}.items():
        text = prose.paragraphs(count)
        heads = [prose.title()[:8] for _ in text]
        blocks = "".join(
            f"<section class=f{n}><h2>{head}</h2><p>{one}</p></section>"
            for n, (head, one) in enumerate(zip(heads, text, strict=True))
        )
        body = f"<ul>{MENU}</ul><div class=pd>{blocks}</div><div class=nt>{p(notes)}</div><div class=map>{prose.links(40)}</div>"
        yield size, KindOfPage(whole(body), tuple(text), (*heads, *notes))


@kinds
def very_short_articles(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    notices = {
        "power cut": ["因线路检修，东街片区五月三日八时至十七时停电，请相互转告。"],
        "closed": ["本馆逢周一闭馆，国庆期间照常开放。", "参观请走南门。"],
        "lost": ["昨日在渡口拾得黑色布包一只，内有钥匙两把，请失主到值班室认领。"],
    }
    for name, text in notices.items():
        for where, tail in {
            "links": f"<ul>{prose.links(30)}</ul>",
            "legal": f"<div class=q>{p(RIGHTS['press'])}</div><ul>{prose.links(8)}</ul>",
            "old legal": f"<div class=q>{p(LEGAL)}</div>",
        }.items():
            body = f"<ul>{MENU}</ul><div class=c><h1>公告</h1><p class=d>2023-05-01</p><div class=z>{p(text)}</div></div>{tail}<div class=ft>{p(OFFICIAL_FOOT)}</div>"
            yield f"{name}, {where}", KindOfPage(whole(body), tuple(text), ("公告",))


@kinds
def tails_of_boilerplate(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    ends = {
        "about the author": "<p>作者简介：青釉，河口人，写散文和小说，著有《渡口》《窑火》。</p>",
        "series": "<p>本文为“河口旧事”系列第三篇，往期回顾：</p><p><a href=/1>老码头里的台阶，修表的师傅这样说</a></p><p><a href=/2>东街的茶馆</a></p>",
        "previous and next": f"<p>上一篇：<a href=/1>{prose.title()}</a></p><p>下一篇：<a href=/2>{prose.title()}</a></p>",
        "previous without link": "<p>上一篇：没有了</p><p>下一篇：<a href=/2>东街的茶馆</a></p>",
        "share": "<p>分享到：微信 微博 QQ空间 豆瓣</p><p>本文链接：http://a.test/1.html</p><p>标签：散文 河口 旧事</p>",
        "rate": "<p>这篇文章对您有帮助吗？</p><p>有帮助 没帮助</p><p>感谢您的反馈！</p>",
        "contribute": "<p>我们长期征集关于河口的稿件，来稿请寄编辑部邮箱，一经采用即付稿酬。</p>",
        "subscribe": "<p>喜欢我们的文章？输入邮箱，每周接收精选内容。</p><p>您可以随时取消订阅。</p>",
        "reprint": "<p>（本文转自《河口文学》，原题《窑》，有删节）</p><p>原标题：窑</p>",
        "donate": "<p>如果觉得文章不错，就请我喝杯咖啡吧。</p><p>微信支付　支付宝</p>",
        "edited": "<p>本页面最后编辑于2023年5月1日 09:30</p><p>在 GitHub 上编辑此页</p>",
        "login": "<p>登录后可以发表评论，还没有账号？立即注册</p><p>0/500</p><p>暂无评论，快来抢沙发吧</p>",
    }
    either = ("作者简介：青釉，河口人，写散文和小说，著有《渡口》《窑火》。", "本文为“河口旧事”系列第三篇，往期回顾：")
    for name, end in ends.items():
        for size, (paragraphs, sentences) in {"long": (6, 2), "short": (2, 1)}.items():
            title, text = prose.title(), prose.paragraphs(paragraphs, sentences)
            for where, inner in {
                "inside": f"<div class=z>{p(text)}{end}</div>",
                "beside": f"<div class=z>{p(text)}</div><div class=y>{end}</div>",
            }.items():
                body = f"<ul>{MENU}</ul><div class=c><h1>{title}</h1>{inner}</div><ul>{prose.links(12)}</ul>"
                yield f"{name}, {where}, {size}", KindOfPage(whole(body), tuple(text), (title, *either))
