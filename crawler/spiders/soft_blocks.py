"""Detect soft blocks and soft 404s: captchas, login walls, refusals, parked domains, removal notices.

They come with status 200 as often as with 403, 429 or 503. A false detection loses a page. So a page with text of its
own never counts as one, whatever its subject: an article on captchas is an article.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.page_lines import PageBlocks, TextLine, extract_blocks
from crawler.extraction.parsing import bound_markup
from wenhen.kit.errors import Message

SOFT_BLOCK_STATUSES = frozenset((401, 403, 405, 412, 418, 429, 503))  # failures whose bodies may be soft blocks
MAX_MARKUP_CHARACTERS = 300_000  # characters of markup, which bound the scripts of challenges
HAN_CHARACTER = re.compile(r"[\u3400-\u9fff]")
PROSE_RUN = re.compile(r"[\u3400-\u9fff，。、；：？！“”‘’《》（）…—]{30,}")
MIN_PAGE_PROSE = 400  # characters in long runs that prove a page
LATIN_WEIGHT = 0.25  # weight of other characters, where a Han character counts 1
MAX_TEXT_WEIGHT = 300  # weight of all text outside links on the largest blocks
MAX_OTHER_WEIGHT = 80  # weight of text in lines without a sign: explanations, contacts
MAX_LINKED_CHARACTERS = 400  # characters in links, except for parked domains, which consist of links
MAX_SCRIPT_PAGE_WEIGHT = 60  # weight of the text of a block that a script identifies
MAX_SIGN_CHARACTERS = 100  # characters of a line that addresses the visitor


class BlockKind(StrEnum):
    """The kind of a soft block."""

    CAPTCHA = "captcha"
    LOGIN = "login"
    TOO_OFTEN = "too_often"
    FIREWALL = "firewall"
    PARKED = "parked"
    CLOSED = "closed"
    REMOVED = "removed"
    INTERSTITIAL = "interstitial"  # a script page that lets browsers pass


@dataclass(frozen=True, slots=True)
class SoftBlock:
    """A soft block, and the words or script that identify it."""

    kind: BlockKind
    sign: str

    @property
    def message(self) -> Message:
        """Return the message for people."""
        return Message(f"soft_block.{self.kind}", {"sign": self.sign})


def _any_pattern(*patterns: str, after: str = "") -> re.Pattern[str]:
    return re.compile(f"{after}(?:{'|'.join(patterns)})", re.IGNORECASE | re.DOTALL)


# Patterns match at the beginning of a line, or after a few words. So a site addresses its visitor, and a text about
# blocks does not match.
FEW_WORDS = r"[^“”\"「」《》评評回发發]{0,16}?"
NOT_TO_POST = r"(?!.{0,12}(?:回|评|評|发|發|留言|下载|附件|收藏|点赞))"  # such words invite readers to respond
LOG_IN = r"(?:登录|登陆|登入)"
A_THING = (
    r"(?:内容|內容|页面|頁面|网页|網頁|文章|帖子|贴子|主题|主題|日志|博文|微博|作品|小说|小說|书籍|章节|章節|"
    r"视频|资讯|信息|新闻|链接|連結|资源)"
)
TAKEN_DOWN = r"(?:删除|刪除|下架|屏蔽|移除|撤下|撤回|清空)"
A_SITE = r"(?:网站|網站|站点|本站|论坛|論壇|系统|系統)"
SO_NOW = r"(?:中|期间|期間|[，。！,!]|\W*$)"  # otherwise a footer names the maintainer of the site
TO_READ = r"(?:继续|繼續)?(?:阅读|閱讀|查看|浏览|瀏覽|打开|打開)"
A_PAGE = r"(?:page|content|article|post|thread|topic)(?: you (?:requested|are looking for))?"
BLOCK_WORDS = (
    (
        BlockKind.TOO_OFTEN,
        _any_pattern(
            r"(?:访问|訪問|操作|请求|刷新|搜索|查询)(?:行为|速度|频率|頻率|次数|次數)?(?:过于|過於|太过|太|过)(?:频繁|頻繁|快|高|多)",
            r"(?:访问|訪問|请求)(?:频率|頻率|次数|次數)(?:超过|超過|超出|已达)",
            r"(?:您|你)的(?:访问|訪問|请求|操作|IP).{0,16}?(?:异常|異常|拒绝|拦截|受限|限制|封禁|禁止)",
            r"too many requests|rate limit(?:ed| exceeded)|you have been blocked|request (?:was |has been )?blocked",
            after=FEW_WORDS,
        ),
    ),
    (
        BlockKind.CAPTCHA,
        _any_pattern(
            r"(?:请|請|需要?)(?:您|先|你)?(?:输入|輸入|完成|通过|通過|进行|進行|拖动|拖動|点击|點擊|按住).{0,12}?(?:验证|驗證|滑块|滑塊|拼图)",
            r"(?:安全|人机|人機|滑动|滑块|访问|身份)(?:验证|驗證|校验)(?:中|中心|页面)?\W*$",
            r"(?:确认|確認|证明)(?:您|你)?(?:不是|是否为?|并非)(?:机器人|機器人)",
            r"(?:verify(?:ing)?|confirm|prove) (?:that )?you(?:'re| are) (?:a )?(?:human|not a robot)",
            r"are you a (?:ro)?bot\b|(?:complete|solve) the captcha|unusual traffic",
            after=FEW_WORDS,
        ),
    ),
    (
        BlockKind.LOGIN,
        _any_pattern(
            rf"(?:请|請)您?先?{LOG_IN}(?:后|後|以|再|才|$|[!！。，,]){NOT_TO_POST}",
            rf"(?:需要|必须|必須|尚未|还未|还没有?|没有)先?{LOG_IN}{NOT_TO_POST}",
            rf"{LOG_IN}(?:后|後)(?:才能|才可以?|即可|可以?|方可)?(?:继续)?(?:查看|访问|浏览|阅读|觀看|閱讀|瀏覽)",
            r"(?:log|sign) ?in to (?:continue|view|read|access)|you must be logged in",
            r"(?:用户组|用戶組).{0,8}?(?:没有|沒有|无|無)(?:权限|權限)|(?:阅读|閱讀)(?:权限|權限)(?:高于|高於|大于|不足|不够)",
            r"(?:没有|沒有|无|無)(?:足够的?)?(?:权限|權限)(?:访问|訪問|查看|浏览|瀏覽|阅读|閱讀)",
            rf"(?:订阅|訂閱|购买|購買|付费|付費|充值|开通(?:会员|VIP))(?:本章|本书|会员|VIP)?(?:后|後|才|以|即可){TO_READ}",
            r"(?:请|請)(?:在|使用)微信.{0,6}?(?:打开|打開)",
            after=FEW_WORDS,
        ),
    ),
    (
        BlockKind.FIREWALL,
        _any_pattern(
            r"由于(?:您|你)(?:访问|提交)的.{0,6}?(?:URL|网址|请求|内容).{0,16}?(?:威胁|攻击|风险)",
            r"(?:您|你)(?:提交|访问)?的(?:请求|访问|内容|网址).{0,12}?(?:威胁|攻击|不合法|非法|阻断|阻止)",
            r"(?:您|你)?所在的?(?:国家|國家|地区|地區|区域).{0,10}?(?:不(?:能|可|支持|提供|开放)|无法|無法|禁止|限制)",
            r"(?:the )?access (?:to this (?:page|site|resource) )?(?:has been |is |was )?(?:denied|forbidden)",
            after=FEW_WORDS,
        ),
    ),
    (
        BlockKind.CLOSED,
        _any_pattern(
            rf"{A_SITE}.{{0,8}}?(?:维护|維護|升级|升級|关闭|關閉|停止运行|暂停|暫停)(?:维护|维修|访问|服务|运行)?{SO_NOW}",
            r"(?:网站|網站|站点|本站)(?:暂时|暫時|目前|现在).{0,4}?(?:无法|無法|不能)(?:访问|訪問|打开)",
            r"(?:网站|網站|站点|域名).{0,24}?(?:未|没有|尚未).{0,24}?备案",
            r"(?:没有找到|未找到)(?:该|此|对应的?)?站点|站点创建成功",
            r"(?:主机|主機|空间|空間|服务器|伺服器)(?:已|己)(?:被)?(?:到期|过期|過期|欠费|停用|停止)",
            r"(?:数据库|數據庫|資料庫).{0,6}?(?:错误|錯誤|失败|失敗|出错|異常|异常)|error establishing a database",
            r"(?:can ?not|could not) connect to .{0,20}?(?:mysql|database)|(?:fatal|parse) error: |server error in '",
            r"welcome to (?:nginx|openresty|caddy)|(?:apache2?|nginx) .{0,20}?default page|it works!\W*$",
            after=FEW_WORDS,
        ),
    ),
    (
        BlockKind.PARKED,
        _any_pattern(
            r"(?:该|此|本|這個|这个)?域名.{0,10}?(?:出售|转让|轉讓|待售|已?到期|已?过期|停放|未绑定|抢注)",
            r"domain(?: name)?(?: \S+)? (?:is|may be|has)(?: \w+)? (?:for sale|parked|expired|available)",
            r"buy this domain",
            after=FEW_WORDS,
        ),
    ),
    (
        BlockKind.INTERSTITIAL,
        _any_pattern(
            r"正在.{0,6}?(?:安全检查|安全检测|检查您的浏览器)|checking your browser|just a moment\b",
            r"(?:enable|turn on) (?:javascript|cookies)",
            r"(?:请|請)(?:开启|启用|打开|開啟|啟用).{0,10}?(?:javascript|cookie)",
            after=FEW_WORDS,
        ),
    ),
    (
        BlockKind.REMOVED,  # last: a page behind a sign-in has not been removed
        _any_pattern(
            rf"{A_THING}.{{0,12}}?(?:(?:已|被|遭)(?:经|經)?被?.{{0,8}}?{TAKEN_DOWN}|不存在(?!的)|不见了|找不到|已失效)",
            rf"(?:{A_THING}|(?:本|此|该|該)书).{{0,4}}?(?:不存在(?!的)|因.{{0,12}}?(?:违规|违反|违法|侵权|投诉).{{0,12}}?(?:无法|不能)查看)",
            rf"(?:找不到|没有找到|沒有找到|无法找到).{{0,10}}?{A_THING}",
            rf"(?:應|应|因|根据|依据|按照).{{0,24}}?(?:要求|投诉|投訴|法规|法律|规定|原因|问题).{{0,16}}?{TAKEN_DOWN}",
            rf"(?:the )?{A_PAGE} (?:was not found|could not be found|cannot be found|does not exist|no longer exists)",
            rf"(?:the |this )?{A_PAGE} has been (?:removed|deleted)|page not found",
            r"(?:404|410)\W{0,5}(?:not found|gone|页面|頁面|error|错误)",
            after=FEW_WORDS,
        ),
    ),
)

# Scripts and forms of challenges. With nearly no text beside them, they are the whole page.
BLOCK_SCRIPTS = (
    (
        BlockKind.LOGIN,
        # Anchored at the beginning and the first such title, so that many titles take no longer than one.
        _any_pattern(
            rf"\A(?>.*?(?P<sign><title>[^<]{{0,20}}(?:{LOG_IN}|log ?in|sign ?in)[^<]{{0,30}}</title>))"
            r".*?type\s{0,9}=\s{0,9}[\"']?password"
        ),
    ),
    (
        BlockKind.CAPTCHA,
        _any_pattern(
            "_cf_chl_opt|challenge-platform|cf-turnstile|captcha-delivery|g-recaptcha|h-captcha",
            "geetest|TCaptcha|TencentCaptcha|AliyunCaptcha|nc_1_n1z|punish-component",
        ),
    ),
    (
        BlockKind.PARKED,
        _any_pattern(r"sedoparking|parkingcrew|bodis\.com|parklogic|hugedomains|domainmarket|window\.park\b"),
    ),
    (
        BlockKind.INTERSTITIAL,
        _any_pattern(
            r"__jsl_clearance|acw_sc__v\d|\$_ts\b",
            r"document\.cookie\s{0,9}=[^<]{0,2000}?location\s{0,9}\.\s{0,9}(?:reload|href|replace)",
        ),
    ),
)


def detect_soft_block(html: str) -> SoftBlock | None:
    """Return the soft block that stands in place of a page, or None.

    >>> str(detect_soft_block("<title>提示</title><p>您的访问过于频繁，请稍后再试。</p>").message)
    'not the page but a refusal of frequent visits: 您的访问过于频繁，请稍后再试。'
    """
    if len(html) > MAX_MARKUP_CHARACTERS or sum(map(len, PROSE_RUN.findall(html))) > MIN_PAGE_PROSE:
        return None
    tree = LexborHTMLParser(bound_markup(html).replace("\0", ""))
    blocks = extract_blocks(tree)
    title = tree.css_first("title")
    heading = TextLine(0, " ".join(title.text(deep=True).split())) if title else TextLine(0)
    return _detect_by_words(heading, blocks) or _detect_by_script(html, blocks)


def _detect_by_words(heading: TextLine, blocks: PageBlocks) -> SoftBlock | None:
    """Return a block that names itself to the visitor."""
    if _text_weight(blocks.lines) > MAX_TEXT_WEIGHT:
        return None
    linked = sum(line.linked for line in blocks.lines)
    for kind, pattern in BLOCK_WORDS:
        signs = [line for line in (heading, *blocks.lines) if _is_sign_line(line, pattern)]
        rest = [line for line in blocks.lines if not _is_sign_line(line, pattern)]
        if (
            signs
            and _text_weight(rest) <= MAX_OTHER_WEIGHT
            and (linked <= MAX_LINKED_CHARACTERS or kind is BlockKind.PARKED)
        ):
            return SoftBlock(kind, signs[0].text)
    return None


def _is_sign_line(line: TextLine, pattern: re.Pattern[str]) -> bool:
    return (
        len(line.text) <= MAX_SIGN_CHARACTERS
        and line.linked * 2 <= len(line.text)
        and pattern.match(line.text) is not None
    )


def _detect_by_script(html: str, blocks: PageBlocks) -> SoftBlock | None:
    """Return a block with nearly no text that its scripts identify."""
    if (
        _text_weight(blocks.lines) > MAX_SCRIPT_PAGE_WEIGHT
        or sum(line.linked for line in blocks.lines) > MAX_LINKED_CHARACTERS
    ):
        return None
    for kind, pattern in BLOCK_SCRIPTS:
        if match := pattern.search(html):
            sign = match.groupdict().get("sign") or match[0]
            return SoftBlock(kind, " ".join(sign.split())[:60])
    return None


def _text_weight(lines: list[TextLine]) -> float:
    """Return the weight of the text outside links."""
    weight = 0.0
    for line in lines:
        if line.linked * 2 <= len(line.text):
            han = len(HAN_CHARACTER.findall(line.text))
            weight += han + LATIN_WEIGHT * (len(line.text) - han)
    return weight
