"""Sentences in which an office, a shop or a clinic guards itself: what it reserves, what it does not answer for.

Unlike the set phrases of `notices` they are told by how many of their words come together. A text may say the same, so
that they never speak against the part of a page in which they stand; they only are no part of what it says at its end.
"""

import re
from functools import lru_cache

from crawler.extract.choosing.site_notices import simplified

# Words of such sentences that prose has now and then, ...
_WORD = re.compile(
    r"图片|照片|图像|文字|文章|作品|稿件|内容|信息|资料|数据|网页|网站|官网|本[页站网馆行院店会刊报台]|本(?:公司|产品|活动|系统|文档|译文)|单位|个人|网友|用户|客户|"
    r"管理员|志愿者|留言者|发言|服务|受理|咨询|表述|实际|差异|义务|公司|链接|全文|公布|活动之?|编辑部?|编者|主办方|持有人|权利人|原作者|第三方|机构|有权|权利|权益|保留|调整|修改|变更|终止|移除|撤下|删除|屏蔽|更新|延迟|损失|后果|责任|承担|负责|"
    r"保证|担保|承诺|陈述|完整|及时|准确|风险|谨慎|审慎|理性|盈利|盈亏|业绩|建议|要约|参考|学习|研究|科普|诊断|治疗|就医|就诊|医生|医嘱|指导下|服用|商标|标识|"
    r"版权|著作权|知识产权|专有|所有|财产|赞助|合作|书面|同意|许可|允许|批准|授权|事先|任何|引用|转载|转贴|转发|复制|分发|传播|使用|用途|商业|出版|稿酬|注明|标明|"
    r"来自|出自|取得|联系|联络|告知|来信|致电|电话|举报|检举|法律|法规|规则|条款|言论|立场|意见|表单|提交|收集|隐私|浏览器|说明书?|原文|译文|译者|歧义|出入|"
    r"尽快|尽力|请勿|不得|自行|自负|仅供|仅作|仅将|只供|之用|为准|不另行|不预示|不构成|不代表|不能代替|不应视为|不保证|除非|如有|如需|如欲|若您|您的?|我们"
)
# ... and those that it hardly has.
_TELLING = re.compile(
    r"请勿|自行(?:购买|承担|判断)|自负|仅供|仅作|只供|之用|为准|不另行|不预示|不构成|不代表|代替医生|视为|不保证|除非另有|如有(?:侵|异议|歧义|出入|不适|未尽)|如[需欲]|若您|"
    r"本(?:页|站|网|馆|会|刊|公司|产品|活动|系统|文档|译文)|标明|注明|最终解释|请(?:与|和)?(?:我们|本)|请(?:在|以|及时|尽快|告知|标)|有权(?:在|对|修|随)|保留[^。]{0,14}权利|"
    r"法律(?:允许|后果|责任)|网友个人|书面(?:同意|许可|授权|批准)|前瞻性|注册商标|要约|版权(?:办公室|保护)|医嘱|指导下|稿酬|文责|各自|撤下|移除|任何(?:陈述|后果|形式|赞助|单位)|"
    r"尽力|直接或间接|不对[^。]{0,30}负责|没有义务|存在[^。]{0,6}差异|须谨慎|盈亏|如无特殊|请遵|非经|未经|收集|表单|检举|无关|概以|请(?:使用|通过)|如发现|异议|不承担|不得用于|"
    r"个人信息|浏览器|原作者|持有人|所有者"
)
# In small letters, and each way begins with its own: most places of a line are passed over at once.
_ENGLISH = re.compile(
    r"prior written|permission|consent|constitute|general (?:information|purposes)|without (?:prior )?notice|"
    r"reproduced|distributed|any form|liability|warranty|trademarks?|terms of (?:use|service)|privacy policy|"
    r"legal advice|medical advice|investment advice|financial advice|this (?:web)?site|our (?:web)?site|"
    r"property of|respective owners|earn a commission|unless otherwise|licen[sc]e|confidential|"
    r"intended (?:only|solely)|informational|copyright|rights reserved|publisher"
)
LONGEST = 300  # characters of a line that is looked at
_WORDS = 3  # different ones
_POINTS = 6  # a word gives one, a telling one two more
_DENSE = 0.18  # share of the line that they take
_ENGLISH_WORDS = 2


@lru_cache(maxsize=10_000)
def is_reservation(text: str) -> bool:
    """Whether a line says what somebody reserves or does not answer for.

    >>> is_reservation("本译文仅供参考，如有出入，请以英文原文为准。"), is_reservation("他请我们以后少说话。")
    (True, False)
    """
    if len(text) > LONGEST:
        return False
    if text.isascii():
        return len(set(_ENGLISH.findall(text.lower()))) >= _ENGLISH_WORDS
    plain = simplified(text)
    telling = set(_TELLING.findall(plain))
    found = set(_WORD.findall(plain)) if telling else telling
    if len(found) < _WORDS or len(found) + 2 * len(telling) < _POINTS:
        return False
    return sum(map(len, found)) >= _DENSE * len(text)
