"""List every article page of the demo: text, address, disguise and encoding."""

from wenhen.demo.articles import BIG5, GBK, GBK_SAID_TO_BE_GB2312, GBK_SAID_TO_BE_UTF8, Article, CopiedText, OwnText
from wenhen.demo.sites import BLOG, NEWS, NOVEL

_NEWS_COPIES = (
    Article(
        host=NEWS,
        path="/2024/0318/10021.html",
        title="红砖厂房深夜亮灯",
        author="本站综合",
        date="2024-03-18",
        section="文化",
        parts=(CopiedText("老纱厂的夜间书房"),),
    ),
    Article(
        host=NEWS,
        path="/2024/0820/10388.html",
        title="鹭湾公交换了个跑法",
        author="交通观察",
        date="2024-08-20",
        section="要闻",
        parts=(CopiedText("潮汐公交试跑三个月", "ads"),),
    ),
    Article(
        host=NEWS,
        path="/2024/0611/10240.html",
        title="给鱼修一条上山路",
        author="绿水频道",
        date="2024-06-11",
        section="民生",
        parts=(CopiedText("青苇江鱼道见闻", "invisible"),),
    ),
    Article(
        host=NEWS,
        path="/edu/2023/2207.html",
        title="孩子管账之后",
        author="校园版",
        date="2023-12-04",
        section="民生",
        encoding=GBK_SAID_TO_BE_UTF8,
        parts=(CopiedText("学生记账的食堂"),),
    ),
    Article(
        host=NEWS,
        path="/old/tea_0417.htm",
        title="三口锅，四十一年",
        author="副刊旧稿",
        date="2022-04-28",
        section="副刊",
        encoding=GBK_SAID_TO_BE_GB2312,
        parts=(CopiedText("炒茶人老陈"),),
    ),
    Article(
        host=NEWS,
        path="/2024/0902/10402.html",
        title="大山里的牙科诊室",
        author="江声在线",
        date="2024-09-02",
        section="民生",
        attribution="本文经授权转载自《文痕日报》，版权归原作者所有。",
        parts=(CopiedText("镇卫生院来了牙医"),),
    ),
    Article(
        host=NEWS,
        path="/2024/1015/10466.html",
        title="睡在零下十八度",
        author="科技周刊",
        date="2024-10-15",
        section="文化",
        parts=(CopiedText("冷库里的种子", "homophone"),),
    ),
    Article(
        host=NEWS,
        path="/fukan/2024/77.html",
        title="本周读到的老手艺",
        author="副刊编辑部",
        date="2024-07-07",
        section="副刊",
        parts=(OwnText("编辑手记-本周读到的"), CopiedText("修表铺", first=3, end=6), OwnText("编辑手记-写在后面")),
    ),
    Article(
        host=NEWS,
        path="/private/draft-7.html",
        title="待审稿件七号",
        author="夜班",
        date="2024-03-19",
        section="文化",
        parts=(CopiedText("老纱厂的夜间书房"),),
    ),
)

_NOVEL_COPIES = (
    Article(
        host=NOVEL,
        path="/book/101/1.html",
        title="江灯渡 第1章（上）",
        author="佚名",
        date="2024-02-01",
        section="江湖",
        encoding=GBK,
        parts=(CopiedText("渡口灯 第一章 夜渡", end=11),),
        next="/book/101/1_2.html",
    ),
    Article(
        host=NOVEL,
        path="/book/101/1_2.html",
        title="江灯渡 第1章（下）",
        author="佚名",
        date="2024-02-01",
        section="江湖",
        encoding=GBK,
        parts=(CopiedText("渡口灯 第一章 夜渡", first=11),),
        previous="/book/101/1.html",
        next="/book/101/2.html",
        continues=True,
    ),
    Article(
        host=NOVEL,
        path="/book/101/2.html",
        title="江灯渡 第2章（上）",
        author="佚名",
        date="2024-02-02",
        section="江湖",
        encoding=GBK,
        parts=(CopiedText("渡口灯 第二章 木匣", "homophone", end=9),),
        previous="/book/101/1_2.html",
        next="/book/101/2_2.html",
    ),
    Article(
        host=NOVEL,
        path="/book/101/2_2.html",
        title="江灯渡 第2章（下）",
        author="佚名",
        date="2024-02-02",
        section="江湖",
        encoding=GBK,
        parts=(CopiedText("渡口灯 第二章 木匣", "homophone", first=9),),
        previous="/book/101/2.html",
        continues=True,
    ),
    Article(
        host=NOVEL,
        path="/book/205/9.html",
        title="星海捞尘 第9章",
        author="佚名",
        date="2024-05-16",
        section="科幻",
        encoding=GBK,
        parts=(CopiedText("星尘打捞队 第九章 无主的信号", "ads+invisible"),),
    ),
    Article(
        host=NOVEL,
        path="/essay/7.html",
        title="雨打空缸",
        author="转自网络",
        date="2023-11-11",
        section="随笔",
        encoding=GBK,
        parts=(CopiedText("外婆的咸菜缸", "homophone"),),
    ),
    Article(
        host=NOVEL,
        path="/vip/101-full.html",
        title="江灯渡 会员整章",
        author="佚名",
        date="2024-02-03",
        section="江湖",
        encoding=GBK,
        parts=(CopiedText("渡口灯 第一章 夜渡"),),
    ),
)

_BLOG_COPIES = (
    Article(
        host=BLOG,
        path="/post/home-backup/",
        title="旧笔记本的第二春",
        author="方糖",
        date="2024-01-09",
        section="折腾",
        parts=(CopiedText("给旧电脑做备份机"),),
    ),
    Article(
        host=BLOG,
        path="/tw/salted/",
        title="檐下五口缸",
        author="方糖",
        date="2023-12-20",
        section="旧文",
        encoding=BIG5,
        parts=(CopiedText("外婆的咸菜缸", "traditional"),),
    ),
    Article(
        host=BLOG,
        path="/tw/watch/",
        title="楼下的佟师傅",
        author="方糖",
        date="2024-02-14",
        section="旧文",
        encoding=BIG5,
        parts=(CopiedText("修表铺", "traditional"),),
    ),
    Article(
        host=BLOG,
        path="/tw/snow/",
        title="踩雪的声音",
        author="方糖",
        date="2024-01-22",
        section="生活",
        encoding=BIG5,
        parts=(CopiedText("雪为什么咯吱响", "homophone+traditional"),),
    ),
    Article(
        host=BLOG,
        path="/post/night-reading/",
        title="深夜有张桌子",
        author="方糖",
        date="2024-04-02",
        section="生活",
        parts=(CopiedText("老纱厂的夜间书房", "traditional+invisible"),),
    ),
    Article(
        host=BLOG,
        path="/post/book-club-12/",
        title="读书会第十二回",
        author="方糖",
        date="2024-06-23",
        section="读书",
        parts=(
            OwnText("读书会记录开场"),
            CopiedText("渡口灯 第一章 夜渡", first=11, end=19),
            OwnText("读书会记录收尾"),
        ),
    ),
    Article(
        host=BLOG,
        path="/post/winter-talk/",
        title="冬日闲聊两则",
        author="方糖",
        date="2023-12-31",
        section="生活",
        parts=(
            OwnText("冬日话题开场"),
            CopiedText("雪为什么咯吱响", first=0, end=2),
            OwnText("冬日话题中段"),
            CopiedText("冷库里的种子", first=2, end=4),
            OwnText("冬日话题收尾"),
        ),
    ),
    Article(
        host=BLOG,
        path="/licensed/tide-bus/",
        title="会呼吸的公交线",
        author="方糖",
        date="2024-09-10",
        section="读书",
        attribution="经授权转载，授权方：鹭湾融媒。未经许可，请勿再次转载。",
        parts=(CopiedText("潮汐公交试跑三个月"),),
    ),
    Article(
        host=BLOG,
        path="/drafts/reprint/",
        title="没写完的草稿",
        author="方糖",
        date="2024-09-11",
        section="旧文",
        parts=(CopiedText("炒茶人老陈"),),
    ),
)


def _news_article(path: str, name: str, date: str, section: str) -> Article:
    return Article(
        host=NEWS, path=path, title=name, author="本站原创", date=date, section=section, parts=(OwnText(name),)
    )


def _novel_article(path: str, name: str, date: str, section: str) -> Article:
    return Article(
        host=NOVEL,
        path=path,
        title=name,
        author="驻站作者",
        date=date,
        section=section,
        encoding=GBK,
        parts=(OwnText(name),),
    )


def _blog_article(path: str, name: str, date: str, section: str) -> Article:
    return Article(host=BLOG, path=path, title=name, author="方糖", date=date, section=section, parts=(OwnText(name),))


def _traditional_blog_article(path: str, name: str, date: str) -> Article:
    return Article(
        host=BLOG,
        path=path,
        title=name,
        author="方糖",
        date=date,
        section="生活",
        encoding=BIG5,
        parts=(OwnText(name, "traditional"),),
    )


_ORIGINAL_ARTICLES = (
    _news_article("/2024/0505/10160.html", "早市六点半", "2024-05-05", "民生"),
    _news_article("/2024/0623/10255.html", "业余羽毛球赛侧记", "2024-06-23", "文化"),
    _news_article("/2024/0917/10420.html", "台风前夜", "2024-09-17", "要闻"),
    _news_article("/2024/0518/10177.html", "讲解员的第三条路线", "2024-05-18", "文化"),
    _news_article("/fukan/2024/52.html", "书店最后一个星期", "2024-01-28", "副刊"),
    _news_article("/fukan/2024/49.html", "冬天的观鸟笔记", "2024-01-07", "副刊"),
    _news_article("/fukan/2024/61.html", "单厅电影院", "2024-04-14", "副刊"),
    _novel_article("/book/310/1.html", "纸鸢记 第一章", "2024-03-03", "江湖"),
    _novel_article("/book/311/4.html", "青砖巷旧事 第四章", "2024-03-09", "玄幻"),
    _novel_article("/book/312/12.html", "海上旧钟 第十二章", "2024-03-21", "玄幻"),
    _novel_article("/essay/8.html", "公园棋摊的规矩", "2023-10-19", "随笔"),
    _novel_article("/essay/9.html", "旧货市场淘灯记", "2023-10-26", "随笔"),
    _blog_article("/post/tomatoes/", "阳台番茄日记", "2024-06-30", "生活"),
    _blog_article("/post/kids-bike/", "给孩子挑自行车", "2024-03-16", "生活"),
    _blog_article("/post/shell-habits/", "终端里的三个小习惯", "2024-02-25", "折腾"),
    _blog_article("/post/running/", "四十岁开始长跑", "2024-05-01", "生活"),
    _traditional_blog_article("/tw/bridge/", "拍桥的四十个黄昏", "2024-04-20"),
    _traditional_blog_article("/tw/noodles/", "五家面馆的汤头", "2024-03-30"),
)

ARTICLES: tuple[Article, ...] = (*_NEWS_COPIES, *_NOVEL_COPIES, *_BLOG_COPIES, *_ORIGINAL_ARTICLES)
