"""Blogs of the usual systems: a post, then rights, tags, neighbours, replies, and the columns of the theme."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

from collections.abc import Iterator

from tests.support.pages.kinds.kind import KindOfPage, kinds, p, whole
from tests.support.pages.kinds.sentences import Prose
from tests.support.pages.kinds.tails import BLOG_RIGHTS, INVITES, MENU, REPLIES, replies, teasers

_SIZES = {"long": (10, 3), "short": (2, 2), "one line": (1, 1)}


def _texts(prose: Prose) -> Iterator[tuple[str, str, list[str]]]:
    for size, (paragraphs, sentences) in _SIZES.items():
        yield size, prose.title(), prose.paragraphs(paragraphs, sentences)


@kinds
def wordpress(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, title, text in _texts(prose):
        cloud = "".join(f"<a href=/tag/{n} style='font-size:{8 + n}pt'>标签{n}</a>" for n in range(40))
        body = (
            f"<header id=masthead><ul>{MENU}</ul></header><main id=main><article class='post type-post hentry'><header class=entry-header>"
            f"<h1 class=entry-title>{title}</h1></header><div class=entry-content>{p(text)}<div class=sharedaddy>分享此文： 微博 微信</div>"
            f"<div class=jp-relatedposts><h3>相关</h3>{teasers(prose, 3)}</div></div><footer class=entry-footer>发布于<a>2023年5月1日</a></footer></article>"
            f"<div class=author-box><h4>关于青釉</h4><p>写字的人，住在河口，偶尔烧窑，偶尔撑船，更多时候只是看着河水发呆，欢迎来信。</p></div>"
            f"<nav class=post-navigation><a href=/1>上一篇 {prose.title()}</a><a href=/2>下一篇 {prose.title()}</a></nav>"
            f"<div id=comments><h2>《{title}》有8个想法</h2><ol>{replies()}</ol><p>您的邮箱地址不会被公开。 必填项已用 * 标注</p></div></main>"
            f"<aside id=secondary><section class=widget><h2>近期文章</h2><ul>{prose.links(5)}</ul></section><section>{cloud}</section></aside>"
            f"<footer id=colophon>自豪地采用WordPress</footer>"
        )
        yield size, KindOfPage(whole(body), tuple(text), (title,))


@kinds
def hexo(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, title, text in _texts(prose):
        rights = "".join(
            f"<li><strong>{one.partition('：')[0]}：</strong>{one.partition('：')[2]}</li>" for one in BLOG_RIGHTS
        )
        body = (
            f"<div class=headband></div><header class=header><ul>{MENU}</ul></header><div class=post-block><h1>{title}</h1>"
            f"<div class=post-meta>发表于 2023-05-01 更新于 2023-05-02 分类于 随笔 本文字数： 1.2k 阅读时长 ≈ 4 分钟</div><div class=post-body>{p(text)}</div>"
            f"<div>坚持原创技术分享，您的支持将鼓励我继续创作！</div><div class=reward><button>打赏</button></div><ul class=post-cc>{rights}</ul>"
            f"<div class=post-tags># 散文 # 河口</div><div class=post-nav><a href=/1>{prose.title()}</a><a href=/2>{prose.title()}</a></div></div>"
            f"<div class=sidebar-inner><p>文章目录</p><p>站点概览</p><p>青釉</p><p>一个撑船人的笔记，写水，也写火。</p><p>128 日志</p><p>36 标签</p></div>"
            f"<footer>© 2023 青釉 由 Hexo 强力驱动 | 主题 – NexT 您是第 10086 位访客</footer>"
        )
        yield size, KindOfPage(whole(body), tuple(text), (title,))


@kinds
def typecho(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, title, text in _texts(prose):
        body = (
            f"<div class=col-8><article itemscope><h1>{title}</h1><ul class=post-meta><li>作者: 青釉</li><li>时间: 2023-05-01</li><li>评论</li></ul>"
            f"<div class=post-content>{p(text)}</div><p class=tags>标签: 散文, 河口</p></article><div id=comments><h3>添加新评论</h3>"
            f"<p>昵称</p><p>邮箱</p>{replies(6, '<div class=cc{n}><b>访客</b><p>{text}</p></div>')}</div><ul class=post-near><li>上一篇: <a href=/1>{prose.title()}</a></li>"
            f"<li>下一篇: 没有了</li></ul></div><div class=col-4><h3>最新文章</h3><ul>{prose.links(10)}</ul><h3>最近回复</h3><ul><li>访客: {REPLIES[0][:30]}...</li>"
            f"<li>访客: {REPLIES[1][:30]}...</li></ul><h3>归档</h3></div>"
        )
        yield size, KindOfPage(whole(body), tuple(text), (title,))


@kinds
def blog_of_a_platform(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, title, text in _texts(prose):
        columns = teasers(prose, 15)
        body = (
            f"<div class=toolbar-x><ul>{MENU}</ul></div><div class=blog-box><div class=title-box><h1>{title}</h1><span>原创 青釉 于 2023-05-01 09:30:00 发布</span> <span>阅读量1.2k</span> <span>收藏 12</span>"
            f"<div>分类专栏： <a href=/f>散文</a> 文章标签： <a href=/t>河口</a></div><div>版权声明：本文为博主原创文章，遵循 BY-SA 版权协议，转载请附上原文出处链接和本声明。</div></div>"
            f"<div id=content_views>{p(text)}</div></div><div class=rec-x>{columns}</div>"
            f"<div class=footer-x><ul><li>关于我们</li><li>招贤纳士</li><li>商务合作</li><li>寻求报道</li></ul><p>公安备案号00000000000000 经营性网站备案信息 网络110报警服务 家长监护</p></div>"
        )
        yield size, KindOfPage(whole(body), tuple(text), (title,))


@kinds
def public_account(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, title, text in _texts(prose):
        sections = "".join(f"<section><span>{one}</span></section>" for one in text)
        invites = "".join(
            f"<section>{one}</section>" for one in ("点击上方蓝字关注我们", *INVITES, "— END —", "长按识别二维码关注")
        )
        body = f"<div id=img-content><h1>{title}</h1><div>原创 青釉 河口夜读 2023-05-01 20:00</div><div id=js_content>{sections}{invites}</div><div>阅读原文</div><div>预览时标签不可点</div><div>微信扫一扫关注该公众号</div></div>"
        yield size, KindOfPage(whole(body), tuple(text), (title,))


@kinds
def linkblog(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    """A post that is mostly pointers with a sentence each, between lists of links that say nothing."""
    lines, titles = [prose.sentence() for _ in range(6)], [prose.title() for _ in range(6)]
    rows = "".join(
        f"<p><a href=http://other.test/>{title}</a></p><p>{one}</p>" for title, one in zip(titles, lines, strict=True)
    )
    body = f"<div class=page><h1>本周所读</h1><div class=entry>{rows}</div></div><div class=roll><h3>友情链接</h3><ul>{prose.links(80)}</ul></div>"
    yield "weekly", KindOfPage(whole(body), tuple(lines), tuple(titles))
