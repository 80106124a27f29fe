"""What content systems write right before and right behind an article, without a name that tells it from the article."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

from collections.abc import Iterator

from tests.support.pages.kinds.kind import KindOfPage, kinds, p, whole
from tests.support.pages.kinds.sentences import Prose
from tests.support.pages.kinds.tails import MENU, replies

_BEFORE = {
    "the way here, half of it links": "<div>当前位置 : <a href=/>主页</a> &gt; <a href=/n>新闻</a> &gt; 正文</div>",
    "the way here in plain words": "<div>首页 &gt; 新闻动态 &gt; 部门动态</div>",
    "when it was made and changed, told twice": "<div>林溪 Lv1</div><div><span>2023-05-01 20:11</span> <span>2023-05-01 20:11</span> 创建 <span>2023-06-24 08:43:23</span> <span>2023-06-24 08:43:23</span> 更新</div>"
    "<ul><li><a href=/c>随笔</a></li><li><a href=/t1>散文</a></li><li>| <a href=/t2>河口</a></li></ul>",
    "how old it is": "<div>温馨提示：</div><div>本文最后更新于2021年05月12日，已超过1290天没有更新，若内容或图片失效，请留言反馈。</div>",
}
_BEHIND = {
    "buttons in brackets": "<div>"
    + " ".join(f"<span>[<a href=#>{word}</a>]</span>" for word in ("收藏", "推荐", "评论", "打印", "关闭"))
    + "</div>",
    "who saw to it, votes, neighbours": "<p>(责任编辑：沈青)</p><div>顶一下</div><div>(0)</div><div>0%</div><div>踩一下</div><div>(0)</div><div>------分隔线----------------------------</div>"
    "<ul><li>上一篇：<a href=/2>桥头的茶馆</a></li><li>下一篇：没有了</li></ul><ul><li><a href=#>收藏</a></li><li><a href=#>挑错</a></li></ul>",
    "moods": "<p>责任编辑：沈青</p><table><tr>"
    + "".join(f"<td>{word}<br>{n}|</td>" for n, word in enumerate(("支持", "高兴", "震惊", "愤怒", "无聊", "无奈")))
    + "</tr></table>",
    "words to search for": "<p><b>相关热词搜索：</b><a href=/k1>河口</a> <a href=/k2>渡船</a> <a href=/k3>旧事</a></p><p><b>上一篇：</b><a href=/2>桥头的茶馆</a><br><b>下一篇：</b><a href=#>最后一页</a></p>",
    "parts without anything in them": "<p>本文网址：http://www.hekou.test/news/12.html</p><p>关键词：渔具,河口渔具</p><p>上一篇：<a href=/2>桥头的茶馆</a></p><p>下一篇：<a href=/3>渡口</a></p><h4>最近浏览：</h4><h4>相关产品：</h4>",
    "teasers that begin with their titles": "<div>(责编：周渡、沈青)</div><div>分享让更多人看到</div><div><h5>推荐阅读</h5>"
    + "".join(
        f"<div class=n><b><a href=/t{n}>桥头的茶馆里有{n}盏灯笼</a></b>去年冬天，老船工的儿子回到村口，把旧船上的绳结一个一个解开来数，数到第{n}个就停下来。…… <a href=/t{n}>【详细】</a></div>"
        for n in range(2, 6)
    )
    + "</div><ul><li>微信扫一扫</li><li>手机读报，精彩随身</li><li>用户登录</li></ul>",
    "what others read today, with times": "<div>【纠错】 责任编辑： 沈青</div><div>登录后可以发言</div><h3>为你推荐</h3><ul>"
    + "".join(
        f"<li><a href=/t{n}>桥头的茶馆里有{n}盏灯笼</a><div>河口时报网 05-12 09:1{n}</div></li>" for n in range(6)
    )
    + "</ul>",
    "a gift": "<p>赞赏作者</p><p>如果觉得我的文章对你有用，请随意赞赏</p>",
    "replies in lists": "<ul><li>评论列表:</li></ul>"
    + replies(
        5,
        "<ul><li><a href=/u{n}>网友{n}</a><br><small>发布于 2015-05-13 10:1{n}:22 <a href=#>回复</a></small></li><li>{text}</li></ul>",
    ),
}


@kinds
def before_an_article(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for name, before in _BEFORE.items():
        text = prose.paragraphs(1)
        body = f"<ul>{MENU}</ul><div class=box><h1>渡口</h1>{before}{p(text)}</div><div class=more><ul>{prose.links(9)}</ul></div>"
        yield name, KindOfPage(whole(body, title="渡口_河口网"), tuple(text), ("渡口", "林溪 Lv1"))


@kinds
def behind_an_article(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for name, behind in _BEHIND.items():
        text = prose.paragraphs(1)
        body = f"<ul>{MENU}</ul><div class=box><h1>渡口</h1>{p(text)}{behind}</div><div class=more><ul>{prose.links(9)}</ul></div>"
        yield name, KindOfPage(whole(body, title="渡口_河口网"), tuple(text), ("渡口",))


@kinds
def an_article_that_ends_in_short_lines(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for name, end in {
        "signed and dated": ("河口县人民政府办公室", "附件：一份名单"),
        "in verse": ("石阶连着水", "旧缆系空舟", "雨打灯前客", "风吹岸上秋"),
    }.items():
        text = [*prose.paragraphs(2), *end]
        body = f"<ul>{MENU}</ul><div class=box><h1>渡口</h1>{p(text)}<p>责任编辑：沈青</p><p>上一篇：<a href=/2>桥头的茶馆</a></p></div>"
        yield name, KindOfPage(whole(body), tuple(text), ("渡口",))
