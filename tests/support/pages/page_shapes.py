"""Pages of the shapes that the web has, each with the lines that are its text and words that are not.

The markup is what the common programs behind such sites write.
"""

# ruff: noqa: E501  markup reads best in the lines in which it is written

from collections.abc import Callable
from dataclasses import dataclass

from tests.support.pages.page_parts import FERRY, FOOT, KILN, LINKS, MENU, OTHERS, REPLIES, STARS, p, page


@dataclass(frozen=True, slots=True)
class Shape:
    """A page with its gold: the lines of its text in order, and what may not be in it."""

    html: str
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...] = ()


SHAPES: dict[str, Callable[[], Shape]] = {}


def shape(make: Callable[[], Shape]) -> Callable[[], Shape]:
    """Note a shape under its function's name."""
    SHAPES[make.__name__] = make
    return make


@shape
def forum_thread() -> Shape:
    def post(n: int, line: str) -> str:
        return (
            f"<div id=post_{n} class='plhin'><table><tr><td class=pls><div class=authi><a href=/u{n}>用户{n}</a></div>"
            f"<p><em>主题 {n}</em> 积分 {n * 17}</p><a href=/pm{n}>发消息</a></td><td class=plc>"
            f"<div class=pi><em>发表于 2023-4-{n} 09:1{n}</em> | <a href=#>只看该作者</a> <a href=#>倒序浏览</a></div>"
            f"<div class=t_fsz><table><tr><td class=t_f id=postmessage_{n}>{line}</td></tr></table></div>"
            f"<div class=po><a href=#>回复</a> <a href=#>支持</a> <a href=#>反对</a> <a href=#>举报</a></div></td></tr></table></div>"
        )

    posts = [post(1, "<br>\n<br>\n".join(KILN))] + [post(n, line) for n, line in enumerate(REPLIES, 2)]
    body = f"<div id=nv><ul>{MENU}</ul></div><div id=postlist>{''.join(posts)}</div><div class=pgs>1 <a href=2>2</a></div>{FOOT}"
    return Shape(page(body), (*KILN, *REPLIES), ("只看该作者", "版权所有"))


@shape
def blog_with_comments() -> Shape:
    replies = "".join(
        f"<li class='comment even'><cite>访客{n}</cite><span>2022年3月{n}日</span><p>{line}</p><a href=#>回复</a></li>"
        for n, line in enumerate(REPLIES * 3, 1)
    )
    body = (
        f"<header class=site-header><h1><a href=/>灯下漫笔</a></h1><ul>{MENU}</ul></header><div id=primary>"
        f"<article class='post hentry'><h2 class=entry-title>窑</h2><div class=entry-meta>2022年3月1日 作者 <a>青釉</a></div>"
        f"<div class=entry-content>{p(KILN)}</div><footer class=entry-meta>分类：<a>随笔</a></footer></article>"
        f"<div id=comments><h3>《窑》有9条评论</h3><ol class=commentlist>{replies}</ol>"
        f"<form><p>电子邮件地址不会被公开，必填项已用 * 标注。</p><textarea></textarea></form></div></div>"
        f"<div id=secondary class=widget-area><h3>近期文章</h3><ul>{LINKS}</ul></div>{FOOT}"
    )
    return Shape(page(body), KILN, (*REPLIES, OTHERS[0], "必填项"))


@shape
def comments_in_english_classes_without_the_word() -> Shape:
    replies = "".join(
        f"<div class='reply-item'><b>网友{n}</b><div class=reply-content>{line}</div></div>"
        for n, line in enumerate(REPLIES)
    )
    body = f"<ul>{MENU}</ul><h1>星</h1><div class=txt>{p(STARS)}</div><div class=reply-list><h4>网友评论</h4>{replies}</div>{FOOT}"
    return Shape(page(body), STARS, REPLIES)


@shape
def question_and_answers() -> Shape:
    answers = "".join(
        f"<div class=List-item><div class=AuthorInfo><a href=/p{n}>答主{n}</a></div><div class=RichContent-inner>{p(lines)}</div>"
        f"<div class=ContentItem-actions><button>赞同 {n}12</button><a href=#>{n} 条评论</a><a href=#>分享</a></div></div>"
        for n, lines in enumerate((KILN, STARS))
    )
    ask = "开窑的时候为什么要先听声音，而不是先看颜色？"
    body = f"<header><ul>{MENU}</ul></header><main><h1>{ask}</h1><div class=QuestionRichText><p>{FERRY[4]}</p></div>{answers}</main>"
    return Shape(page(body), (FERRY[4], *KILN, *STARS), ("条评论",))


@shape
def chapter_with_adverts_between_paragraphs() -> Shape:
    pieces = []
    for n, line in enumerate(FERRY):
        pieces.append(f"<p>　　{line}</p>")
        if n % 3 == 1:
            pieces.append(
                "<div class='gad2'><script>show(1)</script><a href=http://ad.test>注册即送大礼包，点击领取</a></div>"
            )
    body = (
        f"<div class=header><a href=/>某某小说网</a></div><div class=nav><ul>{MENU}</ul></div><div class=content_read>"
        f"<div class=con_top><a href=/>首页</a> &gt; <a href=/b>渡口</a> &gt; 第三章 雨</div><div class=bookname><h1>第三章 雨</h1>"
        f"<div class=bottem1><a href=2>上一章</a> ← <a href=b>章节目录</a> → <a href=4>下一章</a> <a href=#>加入书签</a></div></div>"
        f"<div id=content>{''.join(pieces)}</div><div class=bottem2><a href=2>上一章</a> ← <a href=b>章节目录</a> → <a href=4>下一章</a></div></div>"
        f"<div class=footer>本站所有小说为转载作品，所有章节均由网友上传，转载至本站只是为了宣传本书让更多读者欣赏。</div>"
    )
    return Shape(page(body), FERRY, ("大礼包", "加入书签", "网友上传"))


@shape
def only_br_in_one_cell_of_a_layout_table() -> Shape:
    body = (
        f"<table width=760><tr><td colspan=2><a href=/>首页</a> | <a href=/x>作品</a></td></tr><tr><td width=160><ul>{LINKS}</ul></td>"
        f"<td><font size=5><b>渡口</b></font><br><br>{'<br>　　'.join(FERRY)}<br><br><a href=2.htm>下一页</a></td></tr>"
        f"<tr><td colspan=2>{FOOT}</td></tr></table>"
    )
    return Shape(page(body), FERRY, ("版权所有", OTHERS[1]))


@shape
def text_in_the_rows_of_a_table() -> Shape:
    rows = "".join(f"<tr><td>{n}</td><td>{line}</td></tr>" for n, line in enumerate((*KILN, *STARS), 1))
    body = f"<div class=menu><ul>{MENU}</ul></div><h1>口述</h1><table class=data>{rows}</table>{FOOT}"
    return Shape(page(body), (*KILN, *STARS), ("首页", "版权所有"))


@shape
def several_articles_of_an_archive() -> Shape:
    posts = "".join(
        f"<div class=post><h2><a href=/{n}>{title}</a></h2><div class=date>2021-0{n}-01</div><div class=entry>{p(lines)}</div>"
        f"<p class=postmetadata>标签：<a>散文</a> | <a>没有评论</a></p></div>"
        for n, (title, lines) in enumerate((("渡口", FERRY), ("窑", KILN), ("星", STARS)), 1)
    )
    body = f"<div id=header><h1>灯下漫笔</h1></div><div id=content>{posts}</div><div id=sidebar><ul>{LINKS}</ul></div>"
    return Shape(page(body), (*FERRY, *KILN, *STARS), (OTHERS[2],))


@shape
def amp() -> Shape:
    body = (
        f"<amp-sidebar id=side layout=nodisplay><ul>{MENU}</ul></amp-sidebar><header class=amp-bar><a href=/>河口网</a></header>"
        f"<article><h1>窑</h1><amp-img src=a.jpg></amp-img>{p(KILN[:2])}<amp-ad width=300><div placeholder>广告加载中，请您稍候片刻，马上就好</div></amp-ad>"
        f"{p(KILN[2:])}</article><amp-consent id=c layout=nodisplay><div>我们使用第三方技术来改进服务，继续浏览即表示您同意我们的隐私政策。</div></amp-consent>"
    )
    return Shape(page(body), KILN, ("首页", "隐私政策", "广告加载"))


@shape
def public_account_whose_text_waits_for_a_script() -> Shape:
    body = (
        "<div id=js_article class=rich_media><h1 class=rich_media_title id=activity-name>渡口</h1><div id=meta_content>"
        "<span class='rich_media_meta rich_media_meta_text'>林溪</span> <a id=js_name>河口夜读</a> <em id=publish_time>2023-05-01 20:00</em></div>"
        "<div class='rich_media_content js_underline_content' id=js_content style='visibility: hidden; opacity: 0;'>"
        + "".join(f"<section><span style='font-size: 15px'>{line}</span></section>" for line in FERRY)
        + "</div><div id=js_pc_qr_code style='display:none'><p>微信扫一扫，关注该公众号，点击右上角可以分享给朋友。</p></div></div>"
    )
    return Shape(page(body), FERRY, ("扫一扫",))


@shape
def hidden_by_a_rule_of_the_page() -> Shape:
    noise = "<p class=zz>本书最新章节请到某某书屋阅读，无弹窗，无广告，更新最快。</p>"
    head = "<title>渡口</title><style>.nav{color:red} .zz , i.q { font-size:0; display : none }</style>"
    body = f"<div id=txt>{noise.join(f'<p>{line}</p>' for line in FERRY)}</div>"
    return Shape(page(body, head), FERRY, ("某某书屋",))


@shape
def a_rule_hides_what_a_script_will_show() -> Shape:
    head = "<title>渡口</title><style>#txt{display:none}</style>"
    return Shape(page(f"<ul>{MENU}</ul><div id=txt>{p(FERRY)}</div>", head), FERRY)


@shape
def only_in_the_structured_data() -> Shape:
    text = "\\n".join(line.replace('"', '\\"') for line in FERRY)
    data = f'{{"@context":"https://schema.org","@type":"NewsArticle","headline":"渡口","articleBody":"{text}"}}'
    head = f"<title>渡口</title><script type=application/ld+json>{data}</script>"
    return Shape(page("<div id=app><p>加载中</p></div><script src=a.js></script>", head), FERRY, ("加载中",))


@shape
def structured_data_that_only_summarises() -> Shape:
    head = '<script type="application/ld+json">{"@type":"Article","articleBody":"渡口的木桩上拴着三条旧船……"}</script>'
    return Shape(page(f"<article>{p(FERRY)}</article>", head), FERRY)


@shape
def preformatted_mail() -> Shape:
    text = "\n".join(("发件人：林溪", "主题：渡口", "", *FERRY))
    return Shape(
        page(
            f"<div><a href=a>上一封</a> <a href=b>下一封</a> <a href=c>按日期</a></div><pre>{text}</pre><hr><a href=c>按日期</a>"
        ),
        FERRY,
    )


@shape
def frame_set_with_a_text_for_those_without() -> Shape:
    html = f"<html><head><title>渡口</title></head><frameset cols='20%,*'><frame src=l.htm><frame src=r.htm><noframes><body>{p(FERRY)}</body></noframes></frameset></html>"
    return Shape(html, ())


@shape
def a_long_navigation_beside_a_short_text() -> Shape:
    tree = "".join(f"<li><a href=/{n}>第{n}节　{OTHERS[n % 5]}</a></li>" for n in range(300))
    return Shape(
        page(f"<div class=tree><ul>{tree}</ul></div><div class=r><h1>星</h1>{p(STARS)}</div>"), STARS, (OTHERS[3],)
    )


@shape
def a_very_short_notice() -> Shape:
    line = "因设备检修，本馆定于六月三日（周五）闭馆一天。"
    body = f"<div class=top><ul>{MENU}</ul></div><div class=article><h2>闭馆通知</h2><p>{line}</p><p>2022年6月1日</p></div><ul>{LINKS}</ul>{FOOT}"
    return Shape(page(body), (line,), ("备案号", OTHERS[0]))


@shape
def microblog_post() -> Shape:
    others = "".join(
        f"<div class=card><a href=/u>网友</a><div class=comment-text>{line}</div></div>" for line in REPLIES
    )
    body = (
        f"<div class=top-nav><ul>{MENU}</ul></div><div class=feed_detail><div class=WB_info><a href=/u1>林溪在河口</a></div>"
        f"<div class=WB_from>2023-05-01 09:30 来自 某手机</div><div class=WB_text>{FERRY[6]}<a href=/t>#渡口#</a>{FERRY[7]}</div>"
        f"<div class=WB_func><a href=#>转发 12</a><a href=#>评论 3</a><a href=#>赞 88</a></div></div>"
        f"<div class=comment_list>{others}</div><div class=hot-list><ul>{LINKS}</ul></div>"
    )
    return Shape(page(body), (f"{FERRY[6]}#渡口#{FERRY[7]}",), (OTHERS[0],))


@shape
def paragraphs_that_are_divs_with_generated_names() -> Shape:
    body = (
        f"<div id=root><div class=_1x><ul>{MENU}</ul></div><div class=_2y><div class=_3z>"
        + "".join(f"<div class=_p9><span>{line}</span></div>" for line in FERRY)
        + f"</div><div class=_4w><div>相关阅读</div><ul>{LINKS}</ul></div></div></div>"
    )
    return Shape(page(body), FERRY, (OTHERS[0],))


@shape
def a_wiki_article() -> Shape:
    body = (
        f"<div id=mw-navigation><ul>{MENU}</ul></div><div id=content class=mw-body role=main><h1 id=firstHeading>窑</h1><div id=bodyContent>"
        f"<div id=siteSub>出自河口百科</div><div id=mw-content-text><div class=mw-parser-output>"
        f"<p>{KILN[0].replace('窑火', '<a href=/w/fire>窑火</a>').replace('井水', '<a href=/w/well>井水</a>')}<sup><a href=#c1>[1]</a></sup></p>"
        f"<div id=toc class=toc><h2>目录</h2><ul><li><a href=#1>1 烧窑</a></li><li><a href=#2>2 开窑</a></li></ul></div>"
        f"<h2>烧窑<span class=mw-editsection>[<a href=/e>编辑</a>]</span></h2>{p(KILN[1:])}</div></div>"
        f"<div id=catlinks class=catlinks><a href=/c>分类</a>：<ul><li><a href=/c1>陶瓷</a></li></ul></div></div></div>{FOOT}"
    )
    return Shape(page(body), KILN[1:], ("版权所有",))


@shape
def a_manual_page_with_a_code_block_and_a_note() -> Shape:
    body = (
        f"<div class=sphinxsidebar><h3>目录</h3><ul>{LINKS}</ul></div><div class=related><ul>{MENU}</ul></div><div class=document><div class=body role=main>"
        f"<h1>安装<a class=headerlink href=#a>¶</a></h1><p>{KILN[0]}</p><div class=highlight><pre>apt-get update\napt-get install kiln-tools</pre></div>"
        f"<div class='admonition note'><p class=admonition-title>注意</p><p>{KILN[3]}</p></div><ul><li><p>{STARS[0]}</p></li><li><p>{STARS[1]}</p></li></ul></div></div>"
    )
    return Shape(
        page(body), (KILN[0], "apt-get update", "apt-get install kiln-tools", KILN[3], STARS[0], STARS[1]), (OTHERS[0],)
    )


@shape
def headings_and_lists_of_a_help_page() -> Shape:
    steps = ("打开窑门。", "放入瓷坯，注意不要碰到窑壁。", "点火。", "等待三天三夜。")
    body = (
        f"<nav><ul>{MENU}</ul></nav><div class=main><h1>烧制瓷器</h1><p>{KILN[0]}</p><h2>步骤</h2><ol>"
        + "".join(f"<li>{step}</li>" for step in steps)
        + f"</ol><h2>另请参阅</h2><p>{STARS[2]}</p></div><footer>{FOOT}</footer>"
    )
    return Shape(page(body), (KILN[0], *steps, STARS[2]), ("版权所有",))


@shape
def a_poem_of_short_lines() -> Shape:
    lines = ("河水带走了桥", "桥带走了名字", "名字在风里", "风在没有人的渡口", "我把灯放下", "灯说它累了")
    body = f"<div class=nav><ul>{MENU}</ul></div><div class=poem><h1>渡口</h1><p>{'<br>'.join(lines)}</p></div><div class=list><ul>{LINKS}</ul></div>"
    return Shape(page(body), lines, (OTHERS[0],))


@shape
def dialogue_of_short_lines_in_a_chapter() -> Shape:
    lines = ("“走？”", "“走。”", "“去哪儿？”", "“过河。”", FERRY[4], "“雨大吗？”", "“大。”", FERRY[5])
    body = f"<div class=box><h1>第九章</h1><div class=tools><a href=#>字号</a><a href=#>夜间</a></div><div class=text>{'<br/><br/>'.join(lines)}</div><p><a href=8>上一章</a><a href=10>下一章</a></p></div>"
    return Shape(page(body), lines, ("夜间", "下一章"))


@shape
def every_paragraph_is_an_anchor_without_a_target() -> Shape:
    body = (
        f"<ul>{MENU}</ul><div class=c>"
        + "".join(f"<p><a id=p{n}>{line}</a></p>" for n, line in enumerate(KILN))
        + "</div>"
    )
    return Shape(page(body), KILN, ("首页",))


@shape
def unclosed_paragraphs_of_an_old_page() -> Shape:
    body = f"<body bgcolor=white><center><font size=6>渡口</font></center><hr>{''.join(f'<p>　　{line}' for line in FERRY)}<hr><a href=index.htm>返回</a>"
    return Shape(page(body), FERRY, ("返回",))


@shape
def byline_share_buttons_and_editor_around_a_news_text() -> Shape:
    body = (
        f"<div class=head><ul>{MENU}</ul></div><div class=left><h1>镇上的窑重新点火</h1><div class=info><span>2023年05月01日 09:30</span>"
        f"<span>来源：<a href=/s>河口晚报</a></span><span>字号：大 中 小</span></div><div class=share-box>分享到：<a href=#>微博</a><a href=#>微信</a></div>"
        f"<div class=text id=zoom>{p(KILN)}<p class=editor>（责任编辑：林溪）</p></div><div class=statement>免责声明：本文仅代表作者个人观点，与本网无关，请读者仅作参考。</div>"
        f"<div class=xgxw><h3>相关新闻</h3><ul>{LINKS}</ul></div></div><div class=right><h3>热门排行</h3><ul>{LINKS}</ul></div>{FOOT}"
    )
    return Shape(page(body), KILN, ("字号", "免责声明", OTHERS[4], "微博"))


@shape
def teasers_with_summaries_below_the_article() -> Shape:
    teasers = "".join(
        f"<div class=item><h4><a href=/{n}>{title}</a></h4><p>{title}，记者走进现场，为您带来一手报道，点击查看全文。</p></div>"
        for n, title in enumerate(OTHERS)
    )
    body = f"<div class=main><h1>窑</h1><div class=article-body>{p(FERRY + KILN)}</div></div><div class=more-news><h3>更多精彩</h3>{teasers}</div>{FOOT}"
    return Shape(page(body), FERRY + KILN, ("记者走进现场",))


@shape
def pictures_with_captions() -> Shape:
    body = f"<ul>{MENU}</ul><div class=content><p>{KILN[0]}</p><figure><img src=a.jpg><figcaption>开窑前的清晨，坡下已经站满了人。林溪摄</figcaption></figure><p>{KILN[1]}</p><p>{KILN[2]}</p></div>"
    return Shape(page(body), (KILN[0], KILN[1], KILN[2]), ("首页",))


@shape
def ruby_over_the_characters() -> Shape:
    line = "<ruby>渡口<rp>（</rp><rt>dùkǒu</rt><rp>）</rp></ruby>" + FERRY[0].removeprefix("渡口")
    return Shape(page(f"<div>{p((line, *FERRY[1:]))}</div>"), FERRY, ("dùkǒu", "（"))


@shape
def a_list_of_chapters() -> Shape:
    items = "".join(f"<dd><a href=/{n}.html>第{n}章 {OTHERS[n % 5]}</a></dd>" for n in range(1, 60))
    return Shape(page(f"<ul>{MENU}</ul><div id=list><dl><dt>《渡口》正文</dt>{items}</dl></div>{FOOT}"), (), ("第3章",))


@shape
def a_front_page_of_headlines_with_dates() -> Shape:
    rows = "".join(f"<li><a href=/{n}>{OTHERS[n % 5]}</a><span>05-{n:02}</span></li>" for n in range(1, 30))
    return Shape(
        page(f"<div class=nav><ul>{MENU}</ul></div><div class=box><h2>要闻</h2><ul>{rows}</ul></div>"), (), (OTHERS[1],)
    )


@shape
def an_article_between_two_columns_of_widgets() -> Shape:
    widget = f"<div class=widget><h3>热门标签</h3><a>散文</a> <a>小说</a></div><div class=widget><ul>{LINKS}</ul></div>"
    body = f"<div class=wrap><div class=col1>{widget}</div><div class=col2>{''.join(f'<div>{line}</div>' for line in FERRY)}</div><div class=col3>{widget}</div></div>"
    return Shape(page(body), FERRY, ("热门标签",))


@shape
def template_and_dialog_beside_the_text() -> Shape:
    body = f"<dialog open><p>登录以后可以收藏本文，也可以与作者交流，快来加入我们吧。</p></dialog><div class=modal-mask><div class=dlg-login><p>扫码登录，首次登录即注册，登录后更精彩。</p></div></div><article>{p(KILN)}</article>"
    return Shape(page(body), KILN, ("扫码登录", "收藏本文"))


@shape
def a_doc_library_viewer_with_absolutely_placed_lines() -> Shape:
    whole = "".join(FERRY)
    pieces = [whole[i : i + 24] for i in range(0, len(whole), 24)]
    body = (
        "<div class=reader>"
        + "".join(f"<p class=reader-word-layer style='left:{n}px'>{piece}</p>" for n, piece in enumerate(pieces))
        + f"</div><div class=rec><ul>{LINKS}</ul></div>"
    )
    return Shape(page(body), tuple(pieces), (OTHERS[0],))


@shape
def encyclopedia_entry_dense_with_links() -> Shape:
    def linked(line: str) -> str:
        return "".join(f"<a href=/i{i}>{line[i : i + 3]}</a>{line[i + 3 : i + 7]}" for i in range(0, len(line), 7))

    body = f"<ul>{MENU}</ul><div class=lemma>{''.join(f'<div class=para>{linked(line)}</div>' for line in KILN)}</div><ul>{LINKS}</ul>"
    return Shape(page(body), KILN, (OTHERS[0],))


@shape
def reading_page_with_copyright_words_in_the_text() -> Shape:
    lines = (
        "本合同签订于渡口，双方同意，未经对方书面许可，不得将船只转租他人。",
        *KILN,
        "版权归甲方所有，乙方只有使用的权利。",
    )
    return Shape(page(f"<ul>{MENU}</ul><div class=doc>{p(lines)}</div>{FOOT}"), lines, ("备案号",))
