"""Recognize legal notices, disclaimers and invitations in a site's own voice."""

import re
from functools import lru_cache

# Site notices around any text: rights, liability, privacy, invitations to follow and download.


# The characters of these words as Taiwan and Hong Kong write them.
SIMPLIFIED_FORMS = str.maketrans(
    "網協議聲隱權識產轉載許實刪舉責賠償擔證準確觀點資風險謹僅參規條瀏覽廣聯繫絡損來關訂閱掃碼維歡讚導員編輯聞眾號標註業構當經營單辦內處戶專頁絲負複製發該獲會應視為陳績書與認點擊進薦讀題錯",
    "网协议声隐权识产转载许实删举责赔偿担证准确观点资风险谨仅参规条浏览广联系络损来关订阅扫码维欢赞导员编辑闻众号标注业构当经营单办内处户专页丝负复制发该获会应视为陈绩书与认点击进荐读题错",
)
_TRADITIONAL_CHARACTER = re.compile(f"[{''.join(map(chr, SIMPLIFIED_FORMS))}]")
MAX_NOTICE_CHARACTERS = 400  # characters of a line that is examined
MAX_LEGAL_CHARACTERS = 300
# Each alternative begins with a single fixed letter (not with a choice of letters or an optional one), so that the
# regex engine skips most positions of a line at once.
FOOTER_NOTICE = re.compile(
    r"版权所有(?![人者])|版權所有(?![人者])|ICP[备证備]|备案号|公网安备|经营许可证|©|"
    r"All [Rr]ights [Rr]eserved|all [Rr]ights [Rr]eserved|ALL RIGHTS RESERVED|"
    r"C(?:opyright|OPYRIGHT)\s*(?:\([cC]\)|\d{4})|copyright\s*(?:\([cC]\)|\d{4})|"
    r"主办单位[:：]|承办单位[:：]|网站标识码|以上分辨率|Powered [Bb]y|powered [Bb]y|强力驱动|网络110"
)
RIGHTS_NOTICE = re.compile(
    r"未经(?:书面|许可|授权|本[站网]).{0,12}(?:转载|复制|使用)|举报(?:电话|邮箱)|违法和不良信息|免责声明|转载请(?:注明|附上|保留)|"
    r"仅代表作者(?:个人|本人)?观点|网友上传|知识共享.{0,24}协议|不构成.{0,8}投资建议|划线价格?[:：]"
)
# A site speaks of itself or to its visitors, ...
_SITE_VOICE = re.compile(
    r"本(?:网站|网|站|平台|公众号|博客|协议|声明|政策)|本[社报]|文(?:章|中)?(?:观点|内容)|用户协议|隐私(?:政策|权|保护)|Cookie|cookie|"
    r"您|网站|上述作品|以上内容|博主|投资者"
)
# ... about legal matters. One line names several.
_LEGAL_WORD = re.compile(
    r"版权|著作权|知识产权|转载|摘编|授权|许可|署名|侵权|侵犯|抄袭|权利|核实|删除|举报|责任|赔偿|担保|保证|真实性|准确性|"
    r"可靠性|观点|立场|不代表|中立|投资|风险|谨慎|仅供参考|法律|法规|法院|管辖|条款|协议|同意|接受|修改|通知|监护人|第三方|"
    r"浏览|偏好|必不可少|启用|关闭|合作伙伴|广告|个性化|流量|出处|邮箱地址|邮件|联系|不可抗力|损失|来源于?|价格"
)
_MIN_LEGAL_WORDS = 3  # different ones of them
_MIN_LEGAL_SHARE = 0.1  # share of the line that they cover
_HELPFUL_QUESTION = r"(?:对您|对你)?(?:是否)?有所?帮助[吗？?]"
_INVITATION = re.compile(
    r"关注.{0,12}公众号|扫(?:描|一扫|码).{0,10}(?:二维码|关注|手机|打开|添加)|长按.{0,8}(?:二维码|识别)|下载.{0,16}(?:客户端|[Aa][Pp][Pp])|"
    r"打开\s*[Aa][Pp][Pp]|点赞.{0,8}(?:在看|转发|收藏|关注)|投稿邮箱|联系邮箱|商务合作|点击.{0,4}蓝字|关注我们|坚持原创|粉丝专页|"
    r"您的支持|欢迎(?:关注|订阅|转发|扫码)|手机上?打开当前页|邮箱地址不会被公开|电子邮件地址不会被公开|登录后才(?:可以|能)(?:回帖|评论|发)|"
    r"取消订阅|退订|输入(?:您的)?邮箱|征集[^。]{0,16}(?:来稿|投稿|稿件)|随意(?:赞赏|打赏)|还没有人(?:赞赏|打赏|评论)|手机(?:读报|看报|看新闻)|更多精彩(?:内容|资讯|新闻|报道)?[，,]?(?:尽在|就在|请(?:关注|搜索|扫码|点击)|敬请关注)|欢迎[^。]{0,16}(?:来稿|投稿|稿件)|来稿请|请我(?:们)?喝[杯一]|"
    rf"文章{_HELPFUL_QUESTION}|内容{_HELPFUL_QUESTION}|页面{_HELPFUL_QUESTION}|信息{_HELPFUL_QUESTION}|回答{_HELPFUL_QUESTION}|感谢您的(?:反馈|支持|阅读|关注)|抢占?沙发|坐占?沙发|还没有账号|"
    r"页面最后(?:编辑|修订|更新)|条目最后(?:编辑|修订|更新)|文档最后(?:编辑|修订|更新)|在\s*(?:GitHub|Gitee)\s*上编辑|登录后即?可以?(?:发表|查看|评论|回复)"
)
_INVITATION_BEGINNING = re.compile(
    r"^暂无评论|^[（(]\s*(?:本文)?(?:转自|摘自|选自|原载|原刊)[^）)]{2,60}[）)]$|^(?:原标题|原题)[:：]|^[上下]一[篇条页章则][:：]\s*(?:没有了?|无|暂无|已是)|"
    r"^[—–\-\s]*(?:END|完|全文完|本文完)[—–\-\s]*$|"
    r"^[【\[]\s*纠错\s*[】\]]$|^点击(?:进入|查看)[^。！？，]{0,10}(?:专题|专栏|更多)[^。！？，]{0,40}$|^(?:推荐|延伸|拓展|相关)阅读[:：]|"
    r"^(?:本文|此文|(?:这|此|该)篇文章)最后(?:更新|编辑|修改)|^距离?(?:上次|最后)(?:更新|编辑|修改)"
)
_MAX_INVITATION_CHARACTERS = 90
# A combined test before the separate patterns, because hardly any line has a notice.
_ANY_NOTICE = re.compile(
    "|".join(notice.pattern for notice in (FOOTER_NOTICE, RIGHTS_NOTICE, _SITE_VOICE, _INVITATION))
)
_LEGAL_TITLE = re.compile(
    r"协议|协定|条款|政策|声明|授权|许可|办法|条例|规定|公约|须知|版权|著作权|隐私|合同|守则|规则|章程|法$|法律|licen[cs]e|"
    r"terms|privacy|copyright",
    re.IGNORECASE,
)


@lru_cache(maxsize=10_000)
def is_legal_notice(text: str) -> bool:
    """Tell whether a line is a usual legal notice: rights, licences, liability, privacy, where to complain.

    >>> is_legal_notice("如因作品内容、版权等问题需要同本网联系的，我们将予以核实。")
    True
    >>> is_legal_notice("他说版权是小事。")
    False
    """
    plain = simplify_notice(text)
    return is_footer(plain) or _is_rights_notice(plain) or _is_dense_notice(plain)


def is_footer(text: str) -> bool:
    """Tell whether a line is the footer of a site: its owner and its registration number."""
    return len(text) <= MAX_LEGAL_CHARACTERS and FOOTER_NOTICE.search(text) is not None


@lru_cache(maxsize=10_000)
def is_invitation(text: str) -> bool:
    """Tell whether a line asks to follow, to download, to scan or to donate.

    >>> is_invitation("更多精彩内容，请下载河口新闻客户端。"), is_invitation("他关注的是公众的利益。")
    (True, False)
    """
    if len(text) > _MAX_INVITATION_CHARACTERS:
        return False
    plain = simplify_notice(text)
    return _INVITATION.search(plain) is not None or _INVITATION_BEGINNING.match(plain) is not None


@lru_cache(maxsize=10_000)
def is_site_notice(text: str) -> bool:
    """Tell whether a line is a legal notice or an invitation."""
    if len(text) > MAX_NOTICE_CHARACTERS:
        return False
    plain = simplify_notice(text)
    if _ANY_NOTICE.search(plain) is None and _INVITATION_BEGINNING.match(plain) is None:
        return False
    return is_legal_notice(text) or is_invitation(text)


def is_legal_title(title: str) -> bool:
    """Tell whether a page with this title consists of legal text: a law, terms, a licence."""
    return _LEGAL_TITLE.search(title) is not None


def is_plain_site_notice(text: str) -> bool:
    """Tell whether a line is a set legal phrase or an invitation. A text about rights itself has none."""
    return is_footer(text) or _is_rights_notice(simplify_notice(text)) or is_invitation(text)


def simplify_notice(text: str) -> str:
    """Return a line with the legal words in simplified characters."""
    return text.translate(SIMPLIFIED_FORMS) if _TRADITIONAL_CHARACTER.search(text) else text


def _is_rights_notice(text: str) -> bool:
    return len(text) <= MAX_LEGAL_CHARACTERS and RIGHTS_NOTICE.search(text) is not None


def _is_dense_notice(text: str) -> bool:
    if len(text) > MAX_NOTICE_CHARACTERS or _SITE_VOICE.search(text) is None:
        return False
    matters = _LEGAL_WORD.findall(text)
    return len(set(matters)) >= _MIN_LEGAL_WORDS and sum(map(len, matters)) >= _MIN_LEGAL_SHARE * len(text)


# Disclaimers of an office, a shop or a clinic: its reservations and limits of liability.
#
# Unlike the set phrases above, they are recognized by the number of their words that occur together. A text may say the
# same. So they never count against the section that holds them, and are only stripped at its end.


# Words of disclaimers that prose has now and then, ...
_DISCLAIMER_WORD = re.compile(
    r"图片|照片|图像|文字|文章|作品|稿件|内容|信息|资料|数据|网页|网站|官网|本[页站网馆行院店会刊报台]|本(?:公司|产品|活动|系统|文档|译文)|单位|个人|网友|用户|客户|"
    r"管理员|志愿者|留言者|发言|服务|受理|咨询|表述|实际|差异|义务|公司|链接|全文|公布|活动之?|编辑部?|编者|主办方|持有人|权利人|原作者|第三方|机构|有权|权利|权益|保留|调整|修改|变更|终止|移除|撤下|删除|屏蔽|更新|延迟|损失|后果|责任|承担|负责|"
    r"保证|担保|承诺|陈述|完整|及时|准确|风险|谨慎|审慎|理性|盈利|盈亏|业绩|建议|要约|参考|学习|研究|科普|诊断|治疗|就医|就诊|医生|医嘱|指导下|服用|商标|标识|"
    r"版权|著作权|知识产权|专有|所有|财产|赞助|合作|书面|同意|许可|允许|批准|授权|事先|任何|引用|转载|转贴|转发|复制|分发|传播|使用|用途|商业|出版|稿酬|注明|标明|"
    r"来自|出自|取得|联系|联络|告知|来信|致电|电话|举报|检举|法律|法规|规则|条款|言论|立场|意见|表单|提交|收集|隐私|浏览器|说明书?|原文|译文|译者|歧义|出入|"
    r"尽快|尽力|请勿|不得|自行|自负|仅供|仅作|仅将|只供|之用|为准|不另行|不预示|不构成|不代表|不能代替|不应视为|不保证|除非|如有|如需|如欲|若您|您的?|我们"
)
# ... and those that it hardly has.
_TELLING_WORD = re.compile(
    r"请勿|自行(?:购买|承担|判断)|自负|仅供|仅作|只供|之用|为准|不另行|不预示|不构成|不代表|代替医生|视为|不保证|除非另有|如有(?:侵|异议|歧义|出入|不适|未尽)|如[需欲]|若您|"
    r"本(?:页|站|网|馆|会|刊|公司|产品|活动|系统|文档|译文)|标明|注明|最终解释|请(?:与|和)?(?:我们|本)|请(?:在|以|及时|尽快|告知|标)|有权(?:在|对|修|随)|保留[^。]{0,14}权利|"
    r"法律(?:允许|后果|责任)|网友个人|书面(?:同意|许可|授权|批准)|前瞻性|注册商标|要约|版权(?:办公室|保护)|医嘱|指导下|稿酬|文责|各自|撤下|移除|任何(?:陈述|后果|形式|赞助|单位)|"
    r"尽力|直接或间接|不对[^。]{0,30}负责|没有义务|存在[^。]{0,6}差异|须谨慎|盈亏|如无特殊|请遵|非经|未经|收集|表单|检举|无关|概以|请(?:使用|通过)|如发现|异议|不承担|不得用于|"
    r"个人信息|浏览器|原作者|持有人|所有者"
)
# In lower case. Each alternative begins with its own letter, so that the regex engine skips most positions at once.
_ENGLISH_DISCLAIMER = re.compile(
    r"prior written|permission|consent|constitute|general (?:information|purposes)|without (?:prior )?notice|"
    r"reproduced|distributed|any form|liability|warranty|trademarks?|terms of (?:use|service)|privacy policy|"
    r"legal advice|medical advice|investment advice|financial advice|this (?:web)?site|our (?:web)?site|"
    r"property of|respective owners|earn a commission|unless otherwise|licen[sc]e|confidential|"
    r"intended (?:only|solely)|informational|copyright|rights reserved|publisher"
)
MAX_DISCLAIMER_CHARACTERS = 300  # characters of a line that is examined
_MIN_DISCLAIMER_WORDS = 3  # different ones
_MIN_DISCLAIMER_POINTS = 6  # a word scores one, a strong one two more
_MIN_DISCLAIMER_SHARE = 0.18  # share of the line that they cover
_MIN_ENGLISH_WORDS = 2


@lru_cache(maxsize=10_000)
def is_disclaimer(text: str) -> bool:
    """Tell whether a line states a reservation or a limit of liability.

    >>> is_disclaimer("本译文仅供参考，如有出入，请以英文原文为准。"), is_disclaimer("他请我们以后少说话。")
    (True, False)
    """
    if len(text) > MAX_DISCLAIMER_CHARACTERS:
        return False
    if text.isascii():
        return len(set(_ENGLISH_DISCLAIMER.findall(text.lower()))) >= _MIN_ENGLISH_WORDS
    plain = simplify_notice(text)
    telling = set(_TELLING_WORD.findall(plain))
    words = set(_DISCLAIMER_WORD.findall(plain)) if telling else telling
    if len(words) < _MIN_DISCLAIMER_WORDS or len(words) + 2 * len(telling) < _MIN_DISCLAIMER_POINTS:
        return False
    return sum(map(len, words)) >= _MIN_DISCLAIMER_SHARE * len(text)
