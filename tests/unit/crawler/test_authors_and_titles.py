"""Who wrote a page and what it is called, in the forms of Chinese sites and of WeChat."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

import pytest

from crawler.extraction.model import ExtractedPage
from crawler.extraction.page import extract_html
from tests.support.pages.page_parts import FERRY, FOOT, LINKS, MENU, p, page

TITLE = "渡口的灯又亮了"
HEAD = f"<title>{TITLE}_河口网</title>"


def read(byline: str, head: str = "", behind: str = "") -> ExtractedPage:
    body = f"<ul>{MENU}</ul><h1>{TITLE}</h1>{byline}<div class=c>{p(FERRY)}</div>{behind}<ul>{LINKS}</ul>{FOOT}"
    return extract_html(page(body, HEAD + head).encode(), [], "http://a.test/1.html")


@pytest.mark.parametrize(
    "byline",
    [
        "<p>作者：林溪</p>", "<p>作者:林溪</p>", "<p>作者：林溪　来源：河口网</p>", "<p>来源：河口日报　作者：林溪　编辑：何远</p>",
        "<p>作者/林溪</p>", "<p>作者 | 林溪</p>", "<p>作者｜林溪</p>", "<p>作者丨林溪</p>", "<p>作 者：林溪</p>", "<p>作　者：林溪</p>",
        "<p>作者 林溪</p>", "<p>【作者】林溪</p>", "<p>[作者] 林溪</p>", "<p>[ 作者：林溪 ]</p>", "<p>原作者：林溪</p>", "<p>作者姓名：林溪</p>",
        "<p>作者：林溪（河口镇中学）</p>", "<p>作者：林溪 更新时间：2020-03-02</p>", "<p>作者：林溪，2020年3月2日</p>", "<p>作者：<a href=/u/1>林溪</a> 分类：散文</p>",
        "<p>文/林溪</p>", "<p>文｜林溪</p>", "<p>文丨林溪</p>", "<p>文 | 林溪</p>", "<p>文：林溪 图：何远</p>", "<p>图文/林溪</p>", "<p>图/文 林溪</p>", "<p>文图/林溪</p>", "<p>文、图：林溪</p>",
        "<p>撰文：林溪</p>", "<p>撰文/林溪 编辑/何远</p>", "<p>撰稿：林溪</p>", "<p>撰稿人：林溪</p>", "<p>采写：林溪</p>", "<p>采写/林溪</p>", "<p>执笔：林溪</p>", "<p>原创：林溪</p>",
        "<p>记者 林溪</p>", "<p>记者：林溪</p>", "<p>记者／林溪</p>", "<p>本报记者 林溪</p>", "<p>本报记者 林溪 通讯员 何远</p>", "<p>河口日报记者 林溪</p>", "<p>见习记者 林溪</p>", "<p>全媒体记者 林溪</p>",
        "<p>2020-03-02 09:30 来源：河口网 记者 林溪</p>", "<p>（记者 林溪）</p>", "<p>■本报记者 林溪</p>", "<p>□ 林溪</p>", "<p>○林溪</p>", "<p>本网记者林溪</p>", "<p>河口新闻记者 林溪</p>", "<p>采写：河口见习记者 林溪</p>",
        "<span class=author>林溪</span>", "<span class=author>作者：林溪</span>", "<a rel=author href=/u/1>林溪</a>", "<span itemprop=author>林溪</span>",
        "<span itemprop=author itemscope><meta itemprop=name content=林溪></span>", "<div class=byline>By 林溪</div>", "<span class=post-author>林溪</span>", "<span id=author_baidu>作者：林溪</span>",
        "<span id=js_author_name>林溪</span>",
    ],
)  # fmt: skip
def test_the_author_stands_around_the_title_in_many_forms(byline: str) -> None:
    assert read(byline).author == "林溪"


@pytest.mark.parametrize(
    "name", ["林溪、何远", "司马青釉", "林溪 何远", "阿卜杜拉·林", "Lin Xi", "[宋]林溪", "（唐）林溪", "青釉2020"]
)
def test_a_name_is_taken_whole(name: str) -> None:
    assert (read(f"<p>作者：{name}</p>").author or "") in (
        name,
        name.split(" ", maxsplit=1)[0] if name[0] == "林" else name,
    )


@pytest.mark.parametrize(
    "head",
    [
        *(f"<meta name='{name}' content=林溪>" for name in ("author", "Author", "byl", "DC.creator", "parsely-author", "citation_author")),
        *(f"<meta property='{name}' content=林溪>" for name in ("article:author", "og:article:author", "og:novel:author")),
        "<script type='application/ld+json'>{'@type': 'Article', 'author': {'name': '林溪'}}</script>".replace("'", '"').replace('"application/ld+json"', "application/ld+json"),
    ],
)  # fmt: skip
def test_the_author_stands_in_metadata_under_many_names(head: str) -> None:
    assert read("", head).author == "林溪"


@pytest.mark.parametrize(
    "behind",
    [
        "<p>（作者：林溪）</p>",
        "<p>作者：林溪</p>",
        "<p>（记者 林溪）</p>",
        "<p>文/林溪</p>",
        "<p>（本报记者 林溪）</p>",
    ],
)
def test_the_author_signs_below_the_text(behind: str) -> None:
    assert read("", behind=p(FERRY * 5) + behind).author == "林溪"


@pytest.mark.parametrize(
    "byline",
    [
        "<p>作者： 来源：河口网</p>", "<p>作者：　编辑：何远</p>", "<p>作者：未知</p>", "<p>作者：佚名</p>", "<p>作者：admin</p>", "<p>作者：网络整理</p>", "<p>作者：本站</p>",
        "<p>作者：2020-03-02</p>", "<p>作者简介：写作二十年</p>", "<p>作者：河口网</p>", "<p>责任编辑：何远</p>", "<p>编辑：何远</p>", "<p>来源：河口日报</p>", "<p>中文/英文</p>", "<p>原文：共三页</p>",
        "<p>作者其他文章</p>", "<p>关于作者</p>", "<p>作者：发布时间：2020-03-02</p>", "<p>全文：三页</p>", "<p>（作者系河口镇中学教师）</p>", "<p>本报记者站：河口</p>", "<p>作文：我的家</p>", "<p>河口记者了解到，</p>", "<p>Powered by Ferry</p>", "<span class=author>河口网专栏作者</span>", "<span class=author>相关文章</span>",
        "<span class=author>管理员</span>", "<span class=author>关注</span>", "<meta name=author content=admin>", "<meta name=author content=河口网>", "<meta name=author content=''>",
        "<meta name=author content='http://a.test/u/1'>", "<meta name=author content='编辑'>", "<meta name=author content=网易>",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_byline_names_nobody(byline: str) -> None:
    assert read(byline).author is None


def test_several_names_below_a_text_are_those_of_other_pages() -> None:
    assert read("", behind=p(FERRY * 5) + "<p>文/林溪</p><p>文/何远</p>").author is None


WECHAT = (
    '<h1 id="activity-name">渡口的灯又亮了</h1><span id="js_author_name">{author}</span><a href="javascript:void(0);" id="js_name">{account}</a>'
    '<em id="publish_time"></em><div id="js_content" style="visibility: hidden">{text}</div><script>var nickname = htmlDecode("河岸社"); var ct = "1583112600";</script>'
)


@pytest.mark.parametrize("account", ["河岸社", ""])
@pytest.mark.parametrize(
    "head",
    [
        "<title></title>",
        "<meta property=og:title content=渡口的灯又亮了><meta property=og:site_name content=微信公众平台>",
    ],
)
def test_wechat_names_its_author_and_its_account(head: str, account: str) -> None:
    body = WECHAT.format(author="林溪", account=account, text=p(FERRY))
    found = extract_html(page(body, head).encode(), [], "")
    assert (found.title, found.author, found.site_name) == (TITLE, "林溪", "河岸社")
    assert found.published_at is not None


@pytest.mark.parametrize(
    ("head", "heading", "title"),
    [
        ("<title>渡口的灯又亮了_河口网</title>", "", TITLE),
        ("<title>渡口的灯又亮了-河口新闻网</title>", "", TITLE),
        ("<title>渡口的灯又亮了--河口日报</title>", "", TITLE),
        ("<title>渡口的灯又亮了 - 散文 - 河口网</title>", "", TITLE),
        ("<title>渡口的灯又亮了|河口网</title>", "", TITLE),
        ("<title>渡口的灯又亮了｜散文</title>", f"<h1>{TITLE}</h1>", TITLE),
        ("<title>渡口的灯又亮了——河口网</title>", "", TITLE),
        ("<title>河口网_渡口的灯又亮了</title>", "", TITLE),
        ("<title>河口日报 | 渡口的灯又亮了</title>", "", TITLE),
        ("<title>渡口的灯又亮了（图）_河口网</title>", "<h1>渡口的灯又亮了（图）</h1>", "渡口的灯又亮了（图）"),
        ("<title>渡口的“灯”又亮了_河口网</title>", "<h1>渡口的“灯”又亮了</h1>", "渡口的“灯”又亮了"),
        ('<title>老秦写"守灯人"三个字_河口网</title><meta property=og:title content="老秦写"守灯人"三个字">', '<h1>老秦写"守灯人"三个字</h1>', '老秦写"守灯人"三个字'),
        ('<title>老秦写"守灯人"三个字_河口网</title><meta property=og:title content="老秦写"守灯人"三个字">', "", '老秦写"守灯人"三个字'),
        ("<title>老秦说'船会回来的'_河口网</title><meta property=og:title content='老秦说'船会回来的''>", "", "老秦说'船会回来的'"),
        ("<title>渡口停了八年的渡船又重新下水...</title>", "<h1>渡口停了八年的渡船又重新下水，灯还是那一盏</h1>", "渡口停了八年的渡船又重新下水，灯还是那一盏"),
        ("<title>x</title><meta property=og:title content='渡口停了八年的渡船…'>", "<h1>渡口停了八年的渡船又下水了</h1>", "渡口停了八年的渡船又下水了"),
        ("<title>渡口丨灯又亮了_河口网</title>", "", "渡口丨灯又亮了"),
        ("<title>1-10月水位趋稳-河口新闻网</title>", "", "1-10月水位趋稳"),
        ("<title>COVID-19 与渡口_河口网</title>", "", "COVID-19 与渡口"),
        ("<title>无标题文档</title>", f"<h1>{TITLE}</h1>", TITLE),
        ("<title>河口网</title><meta property=og:site_name content=河口网>", f"<h1>{TITLE}</h1>", TITLE),
        ("<title>渡口的灯又亮了 - 河口网</title><meta property=og:title content=河口网><meta property=og:site_name content=河口网>", "", TITLE),
        ("<title>渡口的灯又亮了_散文_河口网</title>", "<h3>渡口的灯又亮了</h3>", TITLE),
        ("<title>渡口的灯又亮了_河口网</title>", "<h1>河口网</h1><h2>渡口</h2>", TITLE),
        ("<title></title>", f"<h1>{TITLE}</h1>", TITLE),
        ("<title>渡口的灯又亮了_河口网</title>", "<h1></h1><h2> </h2>", TITLE),
        ("<title>第三章 雨_渡口_某某小说网</title>", "<h1>第三章 雨</h1>", "第三章 雨"),
        ("<title>谈文学_散文_河口网</title>", "", "谈文学"),
    ],
)  # fmt: skip
def test_a_title_is_whole_and_without_the_names_of_columns_and_sites(head: str, heading: str, title: str) -> None:
    found = extract_html(
        page(f"<ul>{MENU}</ul>{heading}<div>{p(FERRY)}</div>", head).encode(), [], "http://a.test/1.html"
    )
    assert found.title == title
