"""What sites say in their own voice around any text: rights, liability, privacy, invitations to follow and download."""

import re
from functools import lru_cache

# The characters of these words as Taiwan and Hong Kong write them.
SIMPLIFIED = str.maketrans(
    "網協議聲隱權識產轉載許實刪舉責賠償擔證準確觀點資風險謹僅參規條瀏覽廣聯繫絡損來關訂閱掃碼維歡讚導員編輯聞眾號標註業構當經營單辦內處戶專頁絲負複製發該獲會應視為陳績書與認",
    "网协议声隐权识产转载许实删举责赔偿担证准确观点资风险谨仅参规条浏览广联系络损来关订阅扫码维欢赞导员编辑闻众号标注业构当经营单办内处户专页丝负复制发该获会应视为陈绩书与认",
)
_OTHERWISE = re.compile(f"[{''.join(map(chr, SIMPLIFIED))}]")
LONGEST = 400  # characters of a line that is looked at
LEGAL_LENGTH = 300
# Each way in these patterns begins with one letter (not with a choice of letters, nor with one that may be missing), by
# which most places of a line are passed over at once.
FOOT = re.compile(
    r"版权所有(?![人者])|版權所有(?![人者])|ICP[备证備]|备案号|公网安备|经营许可证|©|"
    r"All [Rr]ights [Rr]eserved|all [Rr]ights [Rr]eserved|ALL RIGHTS RESERVED|"
    r"C(?:opyright|OPYRIGHT)\s*(?:\([cC]\)|\d{4})|copyright\s*(?:\([cC]\)|\d{4})|"
    r"主办单位[:：]|承办单位[:：]|网站标识码|以上分辨率|Powered [Bb]y|powered [Bb]y|强力驱动|网络110"
)
RIGHTS = re.compile(
    r"未经(?:书面|许可|授权|本[站网]).{0,12}(?:转载|复制|使用)|举报(?:电话|邮箱)|违法和不良信息|免责声明|转载请(?:注明|附上|保留)|"
    r"仅代表作者(?:个人|本人)?观点|网友上传|知识共享.{0,24}协议|不构成.{0,8}投资建议|划线价格?[:：]"
)
# A site speaks of itself or to whoever visits it, ...
_SITE = re.compile(
    r"本(?:网站|网|站|平台|公众号|博客|协议|声明|政策)|本[社报]|文(?:章|中)?(?:观点|内容)|用户协议|隐私(?:政策|权|保护)|Cookie|cookie|"
    r"您|网站|上述作品|以上内容|博主|投资者"
)
# ... of matters of the law; one line names several.
_MATTER = re.compile(
    r"版权|著作权|知识产权|转载|摘编|授权|许可|署名|侵权|侵犯|抄袭|权利|核实|删除|举报|责任|赔偿|担保|保证|真实性|准确性|"
    r"可靠性|观点|立场|不代表|中立|投资|风险|谨慎|仅供参考|法律|法规|法院|管辖|条款|协议|同意|接受|修改|通知|监护人|第三方|"
    r"浏览|偏好|必不可少|启用|关闭|合作伙伴|广告|个性化|流量|出处|邮箱地址|邮件|联系|不可抗力|损失|来源于?|价格"
)
_MATTERS = 3  # different ones of them
_DENSE = 0.1  # share of the line that they take
_HELPED = r"(?:对您|对你)?(?:是否)?有所?帮助[吗？?]"
_INVITATION = re.compile(
    r"关注.{0,12}公众号|扫(?:描|一扫|码).{0,10}(?:二维码|关注|手机|打开|添加)|长按.{0,8}(?:二维码|识别)|下载.{0,16}(?:客户端|[Aa][Pp][Pp])|"
    r"打开\s*[Aa][Pp][Pp]|点赞.{0,8}(?:在看|转发|收藏|关注)|投稿邮箱|联系邮箱|商务合作|点击.{0,4}蓝字|关注我们|坚持原创|粉丝专页|"
    r"您的支持|欢迎(?:关注|订阅|转发|扫码)|手机上?打开当前页|邮箱地址不会被公开|电子邮件地址不会被公开|登录后才(?:可以|能)(?:回帖|评论|发)|"
    r"取消订阅|退订|输入(?:您的)?邮箱|征集[^。]{0,16}(?:来稿|投稿|稿件)|随意(?:赞赏|打赏)|还没有人(?:赞赏|打赏|评论)|手机(?:读报|看报|看新闻)|更多精彩(?:内容|资讯)，?(?:尽在|就在)|欢迎[^。]{0,16}(?:来稿|投稿|稿件)|来稿请|请我(?:们)?喝[杯一]|"
    rf"文章{_HELPED}|内容{_HELPED}|页面{_HELPED}|信息{_HELPED}|回答{_HELPED}|感谢您的(?:反馈|支持|阅读|关注)|抢占?沙发|坐占?沙发|还没有账号|"
    r"页面最后(?:编辑|修订|更新)|条目最后(?:编辑|修订|更新)|文档最后(?:编辑|修订|更新)|在\s*(?:GitHub|Gitee)\s*上编辑|登录后即?可以?(?:发表|查看|评论|回复)"
)
_BEGINNING = re.compile(
    r"^暂无评论|^[（(]\s*(?:本文)?(?:转自|摘自|选自|原载|原刊)[^）)]{2,60}[）)]$|^(?:原标题|原题)[:：]|^[上下]一[篇条页章则][:：]\s*(?:没有了?|无|暂无|已是)|"
    r"^[—–\-\s]*(?:END|完|全文完|本文完)[—–\-\s]*$|"
    r"^(?:本文|此文|(?:这|此|该)篇文章)最后(?:更新|编辑|修改)|^距离?(?:上次|最后)(?:更新|编辑|修改)"
)
_INVITATION_LENGTH = 90
# What each of them takes at the least, looked for at once: hardly any line has it.
_ANY = re.compile("|".join(one.pattern for one in (FOOT, RIGHTS, _SITE, _INVITATION)))
_TITLE = re.compile(
    r"协议|协定|条款|政策|声明|授权|许可|办法|条例|规定|公约|须知|版权|著作权|隐私|合同|守则|规则|章程|法$|法律|licen[cs]e|"
    r"terms|privacy|copyright",
    re.IGNORECASE,
)


@lru_cache(maxsize=10_000)
def is_legal(text: str) -> bool:
    """Whether a line is one of those around every text: rights, licences, liability, privacy, whom to complain to.

    >>> is_legal("如因作品内容、版权等问题需要同本网联系的，我们将予以核实。"), is_legal("他说版权是小事。")
    (True, False)
    """
    plain = simplified(text)
    return is_foot(plain) or _is_of_rights(plain) or _is_notice(plain)


def is_foot(text: str) -> bool:
    """Whether a line stands at the foot of every page of a site: whose it is, and under which number registered."""
    return len(text) <= LEGAL_LENGTH and FOOT.search(text) is not None


@lru_cache(maxsize=10_000)
def is_invitation(text: str) -> bool:
    """Whether a line asks to follow, to download, to scan, to give.

    >>> is_invitation("更多精彩内容，请下载河口新闻客户端。"), is_invitation("他关注的是公众的利益。")
    (True, False)
    """
    if len(text) > _INVITATION_LENGTH:
        return False
    plain = simplified(text)
    return _INVITATION.search(plain) is not None or _BEGINNING.match(plain) is not None


@lru_cache(maxsize=10_000)
def is_said_by_the_site(text: str) -> bool:
    """Whether a line is words of the law or an invitation."""
    if len(text) > LONGEST:
        return False
    plain = simplified(text)
    if _ANY.search(plain) is None and _BEGINNING.match(plain) is None:
        return False
    return is_legal(text) or is_invitation(text)


def is_called_after_the_law(title: str) -> bool:
    """Whether the text of a page with this title is what other pages say in passing: a law, terms, a licence."""
    return _TITLE.search(title) is not None


def is_plainly_said_by_the_site(text: str) -> bool:
    """Whether a line is a set phrase of the law or an invitation; a text that speaks of rights itself has none."""
    return is_foot(text) or _is_of_rights(simplified(text)) or is_invitation(text)


def simplified(text: str) -> str:
    """The words of the law in a line in simplified characters."""
    return text.translate(SIMPLIFIED) if _OTHERWISE.search(text) else text


def _is_of_rights(text: str) -> bool:
    return len(text) <= LEGAL_LENGTH and RIGHTS.search(text) is not None


def _is_notice(text: str) -> bool:
    if len(text) > LONGEST or _SITE.search(text) is None:
        return False
    matters = _MATTER.findall(text)
    return len(set(matters)) >= _MATTERS and sum(map(len, matters)) >= _DENSE * len(text)
