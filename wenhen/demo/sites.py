"""Define the three demo websites, their lists and the licences for them."""

from dataclasses import dataclass
from datetime import UTC, datetime

from wenhen.demo.articles import BIG5, GBK, UTF8, Encoding

# The three sites: what stands around their articles.


NEWS = "news.wenhen-demo.test"
NOVEL = "novel.wenhen-demo.test"
BLOG = "blog.wenhen-demo.test"


@dataclass(frozen=True, slots=True)
class DemoSite:
    """One host: its template, its words, and the path that its robots.txt disallows."""

    host: str
    template: str
    name: str
    slogan: str
    sections: tuple[str, ...]
    disallowed: str
    adverts: tuple[str, ...]
    comments: tuple[tuple[str, str], ...]  # who, what


@dataclass(frozen=True, slots=True)
class FrontPage:
    """A page of links to the articles of a host under `prefix`: page `number` of the `of` pages that the list fills."""

    host: str
    path: str
    title: str
    encoding: Encoding = UTF8
    prefix: str = "/"
    number: int = 1
    of: int = 1
    siblings: tuple[str, ...] = ()  # the other pages of the same list


SITES: dict[str, DemoSite] = {
    NEWS: DemoSite(
        host=NEWS,
        template="news.html",
        name="江声在线",
        slogan="本地的事，慢慢说给您听",
        sections=("要闻", "民生", "文化", "副刊"),
        disallowed="/private/",
        adverts=("全屋窗帘免费上门量尺，满三千减四百", "周末亲子采摘园，老少同行第二人半价", "二手钢琴调律搬运一条龙"),
        comments=(
            ("河边散步的人", "昨天路过还看见了，比照片上热闹。"),
            ("老街坊七号", "写得实在，多来点这样的稿子。"),
            ("小满爱吃瓜", "转给我妈看了，她说她早就知道。"),
            ("匿名用户", "希望能一直办下去，别虎头蛇尾。"),
        ),
    ),
    NOVEL: DemoSite(
        host=NOVEL,
        template="novel.html",
        name="听雨书屋",
        slogan="全本免费，无需登录",
        sections=("玄幻", "江湖", "科幻", "随笔"),
        disallowed="/vip/",
        adverts=("点我领取新人书券", "熬夜看书必备护眼灯，今日直降", "本站诚招兼职打字员"),
        comments=(
            ("书友8027", "催更催更，作者大大辛苦了！"),
            ("夜猫子阿福", "这章短了点，没看过瘾。"),
            ("墨雨", "前排占座，等养肥了再看。"),
        ),
    ),
    BLOG: DemoSite(
        host=BLOG,
        template="blog.html",
        name="半亩方糖",
        slogan="种一点字，收一点甜",
        sections=("生活", "折腾", "读书", "旧文"),
        disallowed="/drafts/",
        adverts=("本博客由一台吵闹的小主机供电", "觉得有用的话，请我喝杯豆浆"),
        comments=(
            ("路过的风", "博主好久没更新了，终于等到。"),
            ("豆浆加糖", "收藏了，周末照着试试。"),
            ("北纬三十度", "评论区居然这么安静，我来占个位子。"),
        ),
    ),
}
HOSTS: tuple[str, ...] = tuple(SITES)

_NEWS_LIST = ("/", "/list_2.html")
_NOVEL_LIST = ("/", "/page/2.html")
_BLOG_LIST = ("/", "/page/2/")

LISTINGS: tuple[FrontPage, ...] = (
    FrontPage(NEWS, "/", "江声在线首页", number=1, of=2, siblings=_NEWS_LIST),
    FrontPage(NEWS, "/list_2.html", "往日新闻", number=2, of=2, siblings=_NEWS_LIST),
    FrontPage(NOVEL, "/", "听雨书屋首页", GBK, number=1, of=2, siblings=_NOVEL_LIST),
    FrontPage(NOVEL, "/page/2.html", "更多小说", GBK, number=2, of=2, siblings=_NOVEL_LIST),
    FrontPage(NOVEL, "/book/101/", "江灯渡 目录", GBK, prefix="/book/101/"),
    FrontPage(NOVEL, "/book/205/", "星海捞尘 目录", GBK, prefix="/book/205/"),
    FrontPage(BLOG, "/", "半亩方糖", number=1, of=2, siblings=_BLOG_LIST),
    FrontPage(BLOG, "/page/2/", "往期文章", number=2, of=2, siblings=_BLOG_LIST),
    FrontPage(BLOG, "/tw/", "繁体小站", BIG5, prefix="/tw/"),
)


# Who may carry which work: what the demo registers with the product before it crawls.


@dataclass(frozen=True, slots=True)
class DemoLicence:
    """An authorised reprint. `url_prefix` is host or host/path, without a scheme; the dates are in UTC."""

    licensee: str
    url_prefix: str
    work_title: str
    valid_from: datetime
    valid_until: datetime

    def covers(self, host: str, path: str, work_title: str) -> bool:
        """Whether the page at this address may carry the work."""
        return work_title == self.work_title and f"{host}{path}".startswith(self.url_prefix)


_VALID_FROM = datetime(2024, 1, 1, tzinfo=UTC)
_VALID_UNTIL = datetime(2099, 12, 31, tzinfo=UTC)

DEMO_LICENCES: tuple[DemoLicence, ...] = (
    DemoLicence("江声在线", NEWS, "镇卫生院来了牙医", _VALID_FROM, _VALID_UNTIL),
    DemoLicence("半亩方糖", f"{BLOG}/licensed/", "潮汐公交试跑三个月", _VALID_FROM, _VALID_UNTIL),
)
