"""The time at which pages say that they were published, in the forms of Chinese news sites, programs and WeChat.

All of them mean half past nine on 2 March 2020 in China, or midnight of that day.
"""

# ruff: noqa: E501  markup reads best in the lines in which it is written

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.dates import normalize_dates, parse_stamp
from crawler.extraction.page import extract_html
from tests.support.pages.page_parts import FERRY, FOOT, LINKS, MENU, p, page

MOMENT, DAY = datetime(2020, 3, 2, 1, 30, tzinfo=UTC), datetime(2020, 3, 1, 16, tzinfo=UTC)
HEADING = "<h1>渡口的灯又亮了</h1>"
HEAD = "<title>渡口的灯又亮了_河口网</title>"


def time_of(body: str, head: str = "", url: str = "http://a.test/1.html") -> datetime | None:
    return extract_html(page(body, HEAD + head).encode(), [], url).published_at


def article(byline: str = "", before: str = "", behind: str = "") -> str:
    return f"<ul>{MENU}</ul>{before}{HEADING}{byline}<div class=c>{p(FERRY)}</div>{behind}<ul>{LINKS}</ul>{FOOT}"


@pytest.mark.parametrize(
    "meta",
    [
        *(f"property='{name}'" for name in (
            "article:published_time", "article:publish_time", "og:published_time", "og:release_date", "og:pubdate",
            "rnews:datePublished", "og:article:published_time")),
        *(f"name='{name}'" for name in (
            "apub:time", "_pubtime", "pubtime", "PubDate", "pubdate", "publishdate", "PublishDate", "publish-date",
            "publish_time", "publication_date", "firstpublishedtime", "weibo: article:create_at", "date", "DC.date",
            "DC.date.issued", "dcterms.date", "dcterms.created", "sailthru.date", "parsely-pub-date", "og:time",
            "OriginalPublicationDate", "article_date_original", "date_published", "cXenseParse:recs:publishtime",
            "bt:pubDate", "citation_publication_date", "createDate", "ptime")),
        *(f"itemprop='{name}'" for name in ("datePublished", "dateUpdate", "dateCreated")),
    ],
)  # fmt: skip
def test_the_time_stands_in_metadata_under_many_names(meta: str) -> None:
    assert time_of(article(), f"<meta {meta} content='2020-03-02 09:30:00'>") == MOMENT


@pytest.mark.parametrize(
    "said",
    [
        "2020-03-02 09:30", "2020-03-02 09:30:00", "2020-03-02T09:30:00+08:00", "2020-03-02T09:30:00+0800",
        "2020-03-02T09:30:00+08", "2020-03-02T01:30:00Z", "2020-03-02T01:30:00.000Z", "2020-03-02 09:30:00.0",
        "2020-03-02 09:30:00 +0800 CST", "2020-03-02-09:30:00", "2020/3/2 9:30", "2020.03.02 09:30", "2020\\/03\\/02 09:30",
        "20200302093000", "202003020930", "1583112600", "1583112600000", "Mon, 02 Mar 2020 09:30:00 +0800",
        "Mon, 02 Mar 2020 01:30:00 GMT", "Mon Mar 02 2020 09:30:00 GMT+0800 (CST)", "Mon Mar 02 09:30:00 CST 2020",
        "March 2, 2020 9:30 AM", "Mar 2, 2020, 9:30am", "2 March 2020 09:30", "2020年3月2日 9时30分", "2020年3月2日上午9点30分",
    ],
)  # fmt: skip
def test_metadata_writes_a_time_in_many_ways(said: str) -> None:
    assert time_of(article(), f'<meta name=publishdate content="{said}">') == MOMENT


@pytest.mark.parametrize(
    "byline",
    [
        "<p>2020年03月02日09:30 | 来源：<a href=/x>河口日报</a> 小字号</p>",
        "<div class=source>2020-03-02 09:30:00　来源: <a href=/x>河口网</a></div>",
        "<div class=info>来源：河口网 2020年03月02日 09:30</div>",
        "<div>来源：河口网2020年03月02日 09:30</div>",
        "<div><span class=year><em>2020</em></span> <span class=day><em>03</em>/<em>02</em></span> <span>09:30:00</span></div>",
        "<div>发布时间：2020-03-02 09:30　作者：林溪　浏览次数：<span>123</span>次</div>",
        "<div>发布日期：2020年03月02日 09时30分 【字体：大 中 小】</div>",
        "<div>发布时间：2020-03-02 09:30</div><div>更新时间：2021-05-06 10:00</div>",
        "<div>更新时间：2021-05-06 10:00</div><div>发布时间：2020-03-02 09:30</div>",
        "<div>更新：2021-05-06 10:00 发布：2020-03-02 09:30</div>",
        "<div>成文日期：2020年2月20日 发布日期：2020年3月2日 09:30</div>",
        "<div>[ 时间：2020-03-02 09:30 ] [ 来源：河口镇政府 ]</div>",
        "<p>日期：2020-03-02 09:30:00</p>",
        "<dl><dt>发布时间</dt><dd>2020-03-02 09:30</dd><dt>更新时间</dt><dd>2021-01-01 08:00</dd></dl>",
        "<span id=news-time data-val=1583112600000>03-02 09:30</span>",
        "<span class=date>2020年03月02日 星期一 09:30</span>",
        "<div>2020年3月2日（星期一）上午9:30</div>",
        "<div>於 2020-03-02 09:30 發布</div>",
        "<div>發佈時間：2020/03/02 09:30</div>",
        "<div>民國109年3月2日 09:30</div>",
        "<div>中華民國１０９年３月２日　９：３０</div>",
        "<div>二〇二〇年三月二日 09:30</div>",
        "<div>原创 林溪 河岸 2020-03-02 09:30</div>",
        "<div>林溪 · 2020.03.02 09:30:00 · 字数 1,234 · 阅读 56</div>",
        "<div>于 2020-03-02 09:30:00 发布 · 阅读量 1.2w · 已于 2021-05-06 10:00:00 修改</div>",
        "<div>编辑于 2021-05-06 10:00 · 发布于 2020-03-02 09:30</div>",
        "<div>Posted on March 2, 2020 at 9:30 am by 林溪</div>",
        "<time datetime='2020-03-02T01:30:00.000Z'>3天前</time>",
        "<time class=updated datetime='2021-05-06'>x</time><time class='entry-date published' datetime='2020-03-02T09:30:00+08:00'>y</time>",
        "<span itemprop=datePublished content='2020-03-02T09:30:00+08:00'>前天</span>",
        "<meta itemprop=dateModified content='2021-05-06'><time itemprop=datePublished>2020-03-02 09:30</time>",
        "<em id=publish_time>2020-03-02 09:30</em>",
        "<div data-ptime='2020-03-02 09:30:00'></div>",
        "<script>var publishTime = '2020-03-02 09:30:00';</script>",
        '<script>window.DATA = {"id": 3, "pubtime": "2020-03-02 09:30:00", "comments": 4}</script>',
        "<script>page = {publish_time: 1583112600}</script>",
    ],
)  # fmt: skip
def test_the_time_stands_around_the_title_in_many_forms(byline: str) -> None:
    assert time_of(article(byline)) == MOMENT


@pytest.mark.parametrize(
    "script",
    [
        'var ct = "1583112600";',
        "var createTime = '2020-03-02 09:30';",
        "var oriCreateTime = '1583112600'; var ct = \"1583112600\";",
        "window.d = {create_time: JsDecode('2020-03-02 09:30')};",
        "var user_ct = '1400000000', ct = \"1583112600\", svr_time = '1600000000';",
    ],
)
def test_wechat_tells_its_time_in_a_script(script: str) -> None:
    body = f'<div id="js_content">{p(FERRY)}</div><em id="publish_time"></em><script>{script}</script>'
    assert time_of(body) == MOMENT


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test/2020-03/02/c_1125.htm", "http://a.test/n1/2020/0302/c1001-3.html", "http://a.test/202003/t20200302_54.html",
        "http://a.test/20200302/1.html", "http://a.test/2020/03/02/ARTI.shtml", "http://a.test/a/20200302A0JK1P00",
        "http://a.test/2020/3/2/1.html", "http://a.test/news_20200302093000.html", "http://a.test/art/2020-03-02",
    ],
)  # fmt: skip
def test_the_day_stands_in_the_address(url: str) -> None:
    assert time_of(article(), url=url) == DAY


@pytest.mark.parametrize(
    "body",
    [
        article(behind="<p>河口镇人民政府</p><p>2020年3月2日</p>"),
        article(behind="<p>二〇二〇年三月二日</p>"),
        article("<div>2020-03-02</div>"),
        article("<div>（2020-03-02）</div>"),
        article(before="<div>河口网 2020-03-02 第3版</div>"),
        article("<div>发布日期：2020-3-2</div>"),
    ],
)
def test_a_day_without_an_hour_is_its_midnight_in_china(body: str) -> None:
    assert time_of(body) == DAY


SIDE_LIST = "".join(
    f"<li><a href=/b{n}>{line[:16]}</a><span>2019-0{n}-11</span></li>" for n, line in enumerate(FERRY, 1)
)
SIDE_BLOCKS = "".join(f"<div><div><a href=/b{n}>{line[:16]}</a></div><div>2019-0{n}-11</div></div>" for n, line in enumerate(FERRY, 1))  # fmt: skip
OTHER_TIMES = [
    "<div>今天是2026年11月26日 星期四</div>", "<div>2026年11月26日 星期四 农历十月十八</div>", "<div>现在是 2026-11-26 09:12:11</div>",
    "<div>更新时间：2021-05-06 10:00</div>", "<div>最后修改于 2021-05-06</div>", "<div>最后更新：2021-05-06 10:00:00</div>",
    "<div>编辑于 2021-05-06 10:00</div>", "<div>已于 2021-05-06 10:00:00 修改</div>", "<div>页面生成时间 2021-05-06 10:00</div>",
    "<div>报名截止时间：2021-05-06</div>", "<div>会议时间：2021年5月6日</div>", "<div>施行日期：2021年5月6日</div>",
    "<dl><dt>更新时间</dt><dd>2021-05-06 10:00</dd></dl>", "<time class=updated datetime='2021-05-06'>x</time>",
    "<meta property=article:modified_time content=2021-05-06>", "<meta name=pubdate content=0001-01-01>", "<meta name=date content=1970-01-01>",
    "<p>Copyright 2008-2020 河口网</p>", "<p>（2007年6月29日第三届镇人民代表大会第二次会议通过）</p>",
    "<p>2019年9月7日，我们第一次见面，那天下着雨。</p>", f"<ul>{SIDE_LIST}</ul>", SIDE_BLOCKS,
    "<aside><time datetime=2019-01-01>1月</time></aside>", "<ul><li><a href=/x>旧文一篇在这里</a><time datetime=2019-01-01>1月</time></li></ul>",
]  # fmt: skip


@pytest.mark.parametrize("other", OTHER_TIMES)
def test_other_times_are_not_that_of_publication(other: str) -> None:
    assert time_of(article(other)) is None
    assert time_of(article(before=other)) is None


@pytest.mark.parametrize("other", OTHER_TIMES)
def test_other_times_hide_none(other: str) -> None:
    byline = "<div>2020-03-02 09:30 来源：河口网</div>"
    assert time_of(article(byline, before=other)) == MOMENT
    assert time_of(article(byline, behind=other)) == MOMENT


def test_a_label_far_below_the_title_is_that_of_another_page() -> None:
    cards = "".join(f"<div><b>{line}</b><p>发布时间：2019-05-0{n}</p></div>" for n, line in enumerate(FERRY, 1))
    assert time_of(article("<div>2020-03-02 09:30</div>", behind=cards)) == MOMENT


def test_a_range_of_hours_is_no_zone() -> None:
    assert parse_stamp("2020-03-02 09:30-10:30") == MOMENT
    assert parse_stamp("2020-03-02T09:30+08:00") == MOMENT


@pytest.mark.parametrize("zone", ["+24:00", "-24:00", "+08:75", "+99"])
def test_an_impossible_zone_gives_no_time(zone: str) -> None:
    assert parse_stamp(f"2020-03-02T09:30:00{zone}") is None
    assert parse_stamp("2020-03-01T18:00:00-07:30") == MOMENT


@pytest.mark.parametrize(
    "said", ["2020-13-02", "2020-02-30", "2020-03-021", "12020-03-02", "2020", "2020-03", "二〇二〇年"]
)
def test_what_is_no_day_is_none(said: str) -> None:
    assert parse_stamp(said) is None


@given(st.text(alphabet="0129年月日:-/ .T+Z時点〇一十二三上下午GMTMarPM民國", max_size=60))
def test_any_text_is_a_moment_or_none(said: str) -> None:
    moment = parse_stamp(said)
    assert moment is None or moment.tzinfo is UTC
    assert normalize_dates(normalize_dates(said)) == normalize_dates(said)


@pytest.mark.parametrize("said", ["2020-03-02 24:00", "2020年3月3日凌晨0点"])
def test_midnight_is_written_in_two_ways(said: str) -> None:
    assert parse_stamp(said) == datetime(2020, 3, 2, 16, tzinfo=UTC)
