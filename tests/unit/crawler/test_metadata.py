"""What pages of many kinds state about themselves."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

import pytest

from crawler.extraction.model import ExtractedPage
from crawler.extraction.page import extract_html
from tests.support.pages.page_parts import FERRY, KILN, p, page

LINKED_DATA = (
    '[{"@type": "BreadcrumbList"}, {"@type": ["NewsArticle"], "headline": "渡口", "author": [{"name": "林溪"}],'
    ' "datePublished": "2024-03-05T08:30:00+08:00", "publisher": {"name": "河口网"}, "inLanguage": "zh-CN"}]'
)


def read(body: str, head: str) -> ExtractedPage:
    return extract_html(page(body + p(FERRY), head).encode(), [], "http://a.test/1.html")


@pytest.mark.parametrize(
    ("head", "body", "title", "author", "day", "site"),
    [
        ("<title>窑 – 灯下漫笔</title>", "<h1>灯下漫笔</h1><h2>窑</h2><p>2022年3月1日 作者 <a>青釉</a></p>",
         "窑", "青釉", "2022-02-28", None),
        ("<title>镇上的窑重新点火_河口网</title>", "<h1>镇上的窑重新点火</h1><p>2023年05月01日 09:30 来源：河口晚报</p><p>记者 林溪</p>",
         "镇上的窑重新点火", "林溪", "2023-05-01", "河口网"),
        (f"<title>x</title><script type='application/ld+json'>{LINKED_DATA}</script>", "", "渡口", "林溪", "2024-03-05", "河口网"),
        ("<title>窑火三天三夜 - 散文天地 - 河口论坛</title>", "<h1>窑火三天三夜</h1><b class=author>青釉</b><em>发表于 2023-4-1 09:11</em>",
         "窑火三天三夜", "青釉", "2023-04-01", "河口论坛"),
        ("<title>第三章 雨_渡口_某某小说网</title><meta property='og:novel:author' content=林溪>", "<h1>第三章 雨</h1>",
         "第三章 雨", "林溪", None, "某某小说网"),
        ("<title>a</title><meta property=og:title content='渡口_河口网'><meta property=og:site_name content=河口网>", "",
         "渡口", None, None, "河口网"),
        ("<title>渡口</title><meta name=author content=12345><meta name=author content=x>", "<p>图文/青釉</p>",
         "渡口", "青釉", None, None),
        ("<title>河口网 - 镇上的窑重新点火</title>", "<h1>镇上的窑重新点火</h1>", "镇上的窑重新点火", None, None, None),
        ("<title>渡口</title><time datetime='2024-03-05T08:30:00Z'>3天前</time>", "", "渡口", None, "2024-03-05", None),
    ],
)  # fmt: skip
def test_title_author_day_and_site_of_a_page(
    head: str, body: str, title: str, author: str | None, day: str | None, site: str | None
) -> None:
    found = read(body, head)
    assert (found.title, found.author, found.site_name) == (title, author, site)
    assert (found.published_at and f"{found.published_at:%Y-%m-%d}") == day


@pytest.mark.parametrize(
    "words", ["中文 | English", "全文：共三页", "作者简介：写作二十年", "原文/译文", "本报记者站：河口"]
)
def test_words_that_only_look_like_a_byline_name_nobody(words: str) -> None:
    assert read(f"<p>{words}</p>", "<title>渡口</title>").author is None


@pytest.mark.parametrize(
    "data", ["", "{", "[]", "null", '"x"', "[[[]]]", '{"@graph": 3}', '{"@type": {}, "headline": 1}', "[" * 5000]
)
def test_linked_data_of_any_form_breaks_nothing(data: str) -> None:
    found = read("", f"<title>渡口</title><script type='application/ld+json'>{data}</script>")
    assert (found.title, found.text) == ("渡口", "\n".join(FERRY))


def test_an_article_in_a_graph_is_found() -> None:
    body = "\\n".join(line for line in KILN)
    data = f'{{"@graph": [{{"@type": "WebSite", "name": "x"}}, {{"@type": "BlogPosting", "articleBody": "{body}"}}]}}'
    found = extract_html(page("<p>加载中</p>", f"<script type='application/ld+json'>{data}</script>").encode(), [], "")
    assert found.text == "\n".join(KILN)
