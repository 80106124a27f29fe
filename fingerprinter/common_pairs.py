"""Pairs of characters that are common in one order and next to never stand in the other: which way a text runs.

Three in each hundred characters of today's prose, one of a classic; the wrong way round one in forty thousand
(counted in novels, news, manuals, laws and histories).
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fingerprinter.code_points import code_points

_PAIRS = (
    "我们他们发展问题经济这种地区研究企业北京历史世界情况代表关系领导生活时候但是活动需要市场组织发现国际根据影响包括"
    "因此产品而且我国必须编辑制度主席系统民族基本增长计划最后机构特别改革革命基础群众单位孩子条件提高环境方式报告军事"
    "部门分别十分那些然后准备获得觉得今天中央比较表现价值科技完全内容思想甚至任务突然咱们直接政策继续期间任何解决建筑"
    "能够投资水平艺术项目超过原因及其希望设计最高它们信息采用重大范围不仅丰富甚么地位劳动按照传统全部比赛规模眼睛左右"
    "批准分析每年支持明白心里共同严重接受收入坚持敌人标准报道平均消息注意此外这次经验采取领域联系几乎阶段感到似乎真正"
    "法规造成建议第二材料帮助委员保证资料结束只见积极家庭回答意义容易调整考虑联合专门清楚稳定物质网络利益调查重新广泛"
    "综合措施电子完善功能发表质量命令监督身体位置体系安排考试指挥指导发布努力银行恢复离开困难某些问道经营解释男人财产"
    "有效方案充分特殊手段生命简单显示相信普通创造促进若干每天食品导致讨论制造构成担任区域错误曾经保障连续运输分钟主张"
    "商业贸易例如财政音乐正确复杂社区媒体意思销售最终比例适应她们出版责任类型发挥立刻明确特征确实贡献周围身边比如程序"
    "父母类似维护检查规划状况实践分配多次全体统计名字最近长安英雄掌握攻击条例上述绝对修改优秀关注职工必要朝廷表明消费"
    "欢迎想起协议广大撤销破坏阅读种类效果倘若年轻核心果然意识常务加入担心工具第三网站文物严格满足昨天认真成员培训持续"
    "阶级软件习惯一半距离永远妻子眼前听见毕竟快速失败唯一尚书概念降低小姐这件率领判断卫生成本文件丈夫购买改善否则性命"
    "疾病百姓完整打开协调交易针对外面风险叫做这些已经起来了这到了人也你不了几己的我也又有有什个不笑道你也我一里去的最"
    "然是你这们都却不子也们不其所们在所不么不不需然有个月你一他也这话此事们一们是们就并没也只既而是没并无莫不未尝良久"
    "何必须臾笑曰问曰谓曰叹曰对曰着你但见况且此不个可们来岂有岂不亦无们还又一一双也很又把我又陛下刺史次日且不而不皆有"
    "何不莫能乃曰于是皇帝太守十余今日们也们可们去们有们只们看们说诉了知道自己因为虽然什么怎么那么时间政府表示通过"
    "：“：「：‘？”！”道：说：曰：问：了。了！者，者。矣。矣，焉。乎？乎！耶？哉！吗？呢？呢。呢！么？吧。吧！呀！们，们。"
    "，又，这，但，其，乃，或，亦，皆，虽，怎，岂，各，每，倘，惟，莫。这。那。又。其。但。不。而。既。且。虽。或。乃。每"
)
_SIMPLIFIED = (
    "专业严个为义乐习书买产仅们众传关内军决况击则创别务动劳区协单卫却历双发叹员响围国场坚备够实对导尝岂帮广应开张惯护"
    "报担挥敌断无时显术杂条来标检欢毕没济满状献环现电监着础积稳简类级组织终经结络绝统继续维综编职联艺获营虑虽见规觉计"
    "认讨训议论设证识诉试话误说读调谓贡财责败质购贸费资赛践软轻较辑输边过运还这进远连释针钟银销错长门问间阅阶际险难项"
    "须领题风验后里准价征极种范采几余复"
)
_TRADITIONAL = (
    "專業嚴個為義樂習書買產僅們眾傳關內軍決況擊則創別務動勞區協單衛卻歷雙發嘆員響圍國場堅備夠實對導嘗豈幫廣應開張慣護"
    "報擔揮敵斷無時顯術雜條來標檢歡畢沒濟滿狀獻環現電監著礎積穩簡類級組織終經結絡絕統繼續維綜編職聯藝獲營慮雖見規覺計"
    "認討訓議論設證識訴試話誤說讀調謂貢財責敗質購貿費資賽踐軟輕較輯輸邊過運還這進遠連釋針鐘銀銷錯長門問間閱階際險難項"
    "須領題風驗後裡準價徵極種範採幾餘復"
)


_MIX, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(64 - 16)  # to sixteen bits of a pair's number
_HALF = np.uint64(32)


class PairSet(NamedTuple):
    """Pairs of code points for compiled code.

    pairs: u64[n], ascending, first << 32 | second. hashes: b1[65536], the hashes that one of them has.
    """

    pairs: NDArray[np.uint64]
    hashes: NDArray[np.bool_]


@cache
def common_pairs() -> PairSet:
    """The pairs as they are common, in both scripts."""
    both = code_points(_PAIRS + _PAIRS.translate(str.maketrans(_SIMPLIFIED, _TRADITIONAL)))
    return _pair_set(both[::2], both[1::2])


@cache
def turned_pairs() -> PairSet:
    """The same the wrong way round."""
    pairs = common_pairs().pairs
    return _pair_set(pairs & np.uint64(0xFFFFFFFF), pairs >> _HALF)


def _pair_set(first: NDArray[np.unsignedinteger], second: NDArray[np.unsignedinteger]) -> PairSet:
    pairs = np.unique((first.astype(np.uint64) << _HALF) | second)
    hashes = np.zeros(1 << 16, np.bool_)
    hashes[(pairs * _MIX) >> _SHIFT] = True
    return PairSet(pairs, hashes)


@njit("i4[::1](Array(u4, 1, 'C', readonly=True), u8[::1], b1[::1])", cache=True)
def pairs_before(points: NDArray[np.uint32], pairs: NDArray[np.uint64], hashes: NDArray[np.bool_]) -> NDArray[np.int32]:
    """How many of the pairs (a `PairSet`) begin before each code point and before the end: i32[n + 1]."""
    sums = np.zeros(len(points) + 1, np.int32)
    for place in range(1, len(points)):
        sums[place] = sums[place - 1]
        pair = (np.uint64(points[place - 1]) << _HALF) | np.uint64(points[place])
        if hashes[(pair * _MIX) >> _SHIFT]:
            at = np.searchsorted(pairs, pair)
            sums[place] += at < len(pairs) and pairs[at] == pair
    sums[-1] = sums[-2]
    return sums


def pairs_in(points: NDArray[np.uint32], pairs: PairSet) -> list[tuple[int, int]]:
    """The pairs that stand in a text, in their order."""
    places = np.flatnonzero(np.diff(pairs_before(points, *pairs)))
    return list(zip(points[places].tolist(), points[places + 1].tolist(), strict=True))
