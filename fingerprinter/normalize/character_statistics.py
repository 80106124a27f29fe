"""Know which characters and bigrams are common in Chinese text, and how likely two characters are adjacent.

Common bigrams are three of a hundred characters in modern prose and one of a hundred in a classic. Reversed ones are
one in forty thousand (counted in novels, news, manuals, laws and histories). They tell the direction of a text. The
words of jieba's dictionary tell how much likelier two characters are adjacent than by chance: which characters end and
begin words, and which pairs occur inside them.
"""

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_POINTS, IGNORED_POINT, LAST_ASCII, character_table, code_points
from fingerprinter.compiled import compiled

_COMMON_TEXT = (
    "我们他们发展问题经济这种研究企业北京历史世界情况代表关系领导生活时候但是活动需要市场组织发现国际根据影响包括因此"
    "产品而且我国必须编辑制度主席系统民族基本增长计划机构特别改革革命基础群众单位孩子条件提高环境方式报告军事部门分别"
    "十分那些然后准备获得觉得今天中央比较表现价值科技完全内容思想甚至任务突然咱们直接政策继续期间任何解决建筑能够投资"
    "水平艺术项目超过原因及其希望设计最高它们信息采用重大范围不仅丰富甚么劳动按照传统全部比赛规模眼睛左右批准分析每年"
    "支持明白心里共同严重接受收入坚持敌人标准报道平均消息注意此外这次经验采取领域联系几乎阶段感到似乎真正法规造成建议"
    "第二材料帮助委员保证资料结束只见积极家庭回答意义容易调整考虑联合专门清楚稳定物质网络利益调查重新广泛综合措施完善"
    "功能发表质量命令监督身体位置体系安排考试指挥指导发布努力银行恢复离开困难某些经营解释男人财产有效方案充分特殊手段"
    "生命简单显示相信普通创造促进若干每天食品导致讨论制造构成担任区域错误曾经保障连续运输分钟主张商业贸易例如财政音乐"
    "正确复杂社区媒体意思销售最终比例适应她们出版责任类型发挥立刻明确特征确实贡献周围身边比如程序父母类似维护检查规划"
    "状况实践分配多次全体统计名字最近长安英雄掌握攻击条例上述绝对修改优秀关注职工必要朝廷表明消费欢迎想起协议广大撤销"
    "破坏阅读种类效果倘若年轻核心果然意识常务加入担心工具第三文物严格满足昨天认真成员培训持续阶级软件习惯一半距离永远"
    "妻子眼前听见毕竟快速失败唯一尚书概念降低小姐这件率领判断卫生成本文件丈夫购买改善否则性命疾病百姓完整打开协调交易"
    "针对外面风险叫做这些已经起来笑道其所这话此事并没也只既而并无莫不未尝良久何必须臾笑曰问曰谓曰叹曰对曰但见况且此不"
    "岂有岂不亦无一双陛下刺史次日且不而不皆有何不莫能乃曰皇帝太守十余今日知道自己因为虽然什么怎么那么时间政府表示通过"
    "面积世纪旅游选举权力新闻部队引起农民军队铁路迅速现象武器民主附近古代电话动物巨大逐渐指出训练植物反应宣布队伍双方"
    "进攻机械气候心理反映金融成绩毕业粮食优势发达形势矛盾体现普遍全球条约强烈态度森林工资团体加工解放逐步各项预算手机"
    "势力记载众多彻底充满哲学老板同学那种失去增强医生承认缺乏考察面临吸收理想究竟危险平衡兴趣转移威胁奇怪相反估计密切"
    "传播民间依据厉害改造固定停止强大秘密避免推荐夏天并非模式维持客户尚未极大首次整体区别成熟几句涉及空气旁边操作全身"
    "建造独特标志交换拒绝举办简称加速损失医疗加快审查评价著作给予典型害怕补充地址支付防止异常恐怕某种接触总结幸福背景"
    "死亡理由部署集体大概观察吸引相似签订此刻很少关心邀请授予允许改进吩咐系列放弃打算协会这场仿佛颜色头发分享表演访问"
    "消失追求熟悉取消今后趋势美丽每次表达等待仔细最初听取风景衙门批评结婚决策顺利包含秩序未必申请最新含有哪些防御热情"
    "味道推广片刻途径流动享有走进冲突排列显著婚姻落后工艺污染声明纪念主题扩展准确正好天气探索即将保险情形呼吸挑战丝毫"
    "提醒紧急禁止循环沟通足够记得详细怀疑快乐总体构造场所说完保留效率相继局部沉重"
    "：“：「：‘？”！”道：说：曰：问：了。了！者，者。矣。矣，焉。乎？乎！耶？哉！吗？呢？呢。呢！么？吧。吧！呀！"
    "们，们。，又，但，其，乃，或，亦，皆，虽，怎，岂，各，每，倘，惟，莫。那。又。其。但。既。且。虽。或。乃。每"
)
_SIMPLIFIED_TEXT = (
    "专业严为义乐习书买产仅们众传关内军决况击则创别务动劳区协单卫历双发叹员响围国场坚备够实对导尝岂帮广应开张惯护报担"
    "挥敌断无时显术杂条来标检欢毕没济满状献环现电监础积稳简类级组织终经结络绝统继续维综编职联艺获营虑虽见规觉计认讨训"
    "议论设证识试话误说读调谓贡财责败质购贸费资赛践软轻较辑输边过运这进远连释针钟银销错长门问间阅阶际险难项须领题风验"
    "后里准价征极种范采几余复会冲办声将彻径战户换热疗称签练细绩订记闻队农铁选举权势优粮达约团体强态预载学医临胁据厉荐"
    "气损评给补异触总丝观许弃颜头访趋丽听顺请纪扩构紧沟详怀转兴独审渐"
)
_TRADITIONAL_TEXT = (
    "專業嚴為義樂習書買產僅們眾傳關內軍決況擊則創別務動勞區協單衛歷雙發嘆員響圍國場堅備夠實對導嘗豈幫廣應開張慣護報擔"
    "揮敵斷無時顯術雜條來標檢歡畢沒濟滿狀獻環現電監礎積穩簡類級組織終經結絡絕統繼續維綜編職聯藝獲營慮雖見規覺計認討訓"
    "議論設證識試話誤說讀調謂貢財責敗質購貿費資賽踐軟輕較輯輸邊過運這進遠連釋針鐘銀銷錯長門問間閱階際險難項須領題風驗"
    "後裡準價徵極種範採幾餘復會衝辦聲將徹徑戰戶換熱療稱簽練細績訂記聞隊農鐵選舉權勢優糧達約團體強態預載學醫臨脅據厲薦"
    "氣損評給補異觸總絲觀許棄顏頭訪趨麗聽順請紀擴構緊溝詳懷轉興獨審漸"
)


# The first factor tried that gives each reversed pair its own sixteen upper bits.
_HASH_FACTOR = np.uint64(0xC8A5FA5215451B6B)
_SLOT_SHIFT, _TAG_SHIFT = np.uint64(64 - 16), np.uint64(64 - 16 - 8)
_HALF_BITS = np.uint64(32)


class PairSet(NamedTuple):
    """Hold pairs of code points for compiled code.

    pairs: u64[n], ascending, first << 32 | second. hashes: b1[65536], true at the hash of each pair.
    """

    pairs: NDArray[np.uint64]
    hashes: NDArray[np.bool_]


@cache
def common_pairs() -> PairSet:
    """Return the common pairs in their normal order, in both scripts."""
    both = code_points(_COMMON_TEXT + _COMMON_TEXT.translate(str.maketrans(_SIMPLIFIED_TEXT, _TRADITIONAL_TEXT)))
    return _pair_set(both[::2], both[1::2])


@cache
def turned_pairs() -> PairSet:
    """Return the common pairs in reversed order."""
    pairs = common_pairs().pairs
    return _pair_set(pairs & np.uint64(0xFFFFFFFF), pairs >> _HALF_BITS)


@cache
def turned_tags() -> NDArray[np.uint8]:
    """Return a tag for each reversed pair: u8[65536].

    The slot is the sixteen upper bits of pair × `_HASH_FACTOR`. The tag is the next eight bits, made odd. Empty slots
    are 0. One in ten thousand other pairs matches the tag in its slot by chance.
    """
    mixed = turned_pairs().pairs * _HASH_FACTOR
    tags = np.zeros(1 << 16, np.uint8)
    tags[mixed >> _SLOT_SHIFT] = (mixed >> _TAG_SHIFT).astype(np.uint8) | np.uint8(1)
    return tags


def _pair_set(first: NDArray[np.unsignedinteger], second: NDArray[np.unsignedinteger]) -> PairSet:
    pairs = np.unique((first.astype(np.uint64) << _HALF_BITS) | second)
    hashes = np.zeros(1 << 16, np.bool_)
    hashes[(pairs * _HASH_FACTOR) >> _SLOT_SHIFT] = True
    return PairSet(pairs, hashes)


@compiled("i8(Array(u4, 1, 'C', readonly=True), u1[::1])")
def count_tagged(points: NDArray[np.uint32], tags: NDArray[np.uint8]) -> int:
    """Count the pairs of a text that match the tag in their slot. It runs at memory speed and overcounts slightly."""
    count = 0
    before = np.uint64(0)
    for place in range(len(points)):
        point = np.uint64(points[place])
        mixed = ((before << _HALF_BITS) | point) * _HASH_FACTOR
        count += tags[mixed >> _SLOT_SHIFT] == np.uint8(mixed >> _TAG_SHIFT) | np.uint8(1)
        before = point
    return count


@compiled("b1(Array(u4, 1, 'C', readonly=True), u8[::1], b1[::1])")
def has_pair(points: NDArray[np.uint32], pairs: NDArray[np.uint64], hashes: NDArray[np.bool_]) -> bool:
    """Tell whether any pair of a `PairSet` occurs in a text."""
    for place in range(1, len(points)):
        pair = (np.uint64(points[place - 1]) << _HALF_BITS) | np.uint64(points[place])
        if hashes[(pair * _HASH_FACTOR) >> _SLOT_SHIFT]:
            row = np.searchsorted(pairs, pair)
            if row < len(pairs) and pairs[row] == pair:
                return True
    return False


@compiled("i4[::1](Array(u4, 1, 'C', readonly=True), u8[::1], b1[::1])")
def count_pairs_before(
    points: NDArray[np.uint32], pairs: NDArray[np.uint64], hashes: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Count the pairs of a `PairSet` that begin before each code point and before the end: i32[n + 1]."""
    sums = np.zeros(len(points) + 1, np.int32)
    for place in range(1, len(points)):
        sums[place] = sums[place - 1]
        pair = (np.uint64(points[place - 1]) << _HALF_BITS) | np.uint64(points[place])
        if hashes[(pair * _HASH_FACTOR) >> _SLOT_SHIFT]:
            row = np.searchsorted(pairs, pair)
            sums[place] += row < len(pairs) and pairs[row] == pair
    sums[-1] = sums[-2]
    return sums


def list_pairs(points: NDArray[np.uint32], pairs: PairSet) -> list[tuple[int, int]]:
    """Return the pairs that occur in a text, in their order."""
    places = np.flatnonzero(np.diff(count_pairs_before(points, *pairs)))
    return list(zip(points[places].tolist(), points[places + 1].tolist(), strict=True))


LOST_POINT = ord("\N{REPLACEMENT CHARACTER}")
_PUNCTUATION = "，。、：；！？「」『』（）《》“”…—"


@cache
def familiar_points() -> NDArray[np.bool_]:
    """Return bool[0x110000]: which code points are common characters or Chinese punctuation."""
    table = np.zeros(CODE_POINTS, np.bool_)
    table[[ord(character) for character in character_table().common + _PUNCTUATION]] = True
    return table


def familiar_share(text: str) -> float:
    """Return the share of familiar bigrams among all bigrams, in [0, 1].

    ASCII, lost characters and characters without an initial do not count. Chinese text reaches .7 and more. Misread
    text stays at .2 or less.
    """
    points = code_points(text)
    points = points[(points > LAST_ASCII) & (points != IGNORED_POINT) & (points != LOST_POINT)]
    familiar = familiar_points()[points]
    return float((familiar[1:] & familiar[:-1]).mean()) if len(points) > 1 else 0.0


def familiar_shares(lines: Sequence[str]) -> list[float]:
    """Return the `familiar_share` of each line, in one pass."""
    points = code_points("".join(lines))
    line_of = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
    counted = (points > LAST_ASCII) & (points != IGNORED_POINT) & (points != LOST_POINT)
    familiar, line_of = familiar_points()[points[counted]], line_of[counted]
    within = line_of[1:] == line_of[:-1]
    pairs = np.bincount(line_of[1:][within], minlength=len(lines))
    both = np.bincount(line_of[1:][within & familiar[1:] & familiar[:-1]], minlength=len(lines))
    shares: list[float] = (both / np.maximum(pairs, 1)).tolist()
    return shares


ADJACENCY_FILE = "adjacency.npz"
NAT_PARTS = 16  # steps of a stored logarithm in one nat
PAIR_BITS = 21
UNKNOWN_PAIR = -128
_ADJACENCY_SLOT_SHIFT = np.uint64(64 - PAIR_BITS)
_ADJACENCY_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
PLANE = 0x10000  # code points beyond the first plane count as unknown
# Measured on novels, news, histories and manuals against the same characters shuffled. Outcomes outside these bounds
# are too rare to add evidence.
_RELIABILITY, _LEAST_NATS, _MOST_NATS = 0.8, -1.1, 3.0
NATS_PER_STEP = _RELIABILITY / NAT_PARTS
LEAST_STEPS, MOST_STEPS = round(_LEAST_NATS / NATS_PER_STEP), round(_MOST_NATS / NATS_PER_STEP)


class Adjacency(NamedTuple):
    """Hold log-likelihood ratios in steps of 1 / `NAT_PARTS` nats.

    ends, starts: i8[65536], for a character that ends or begins a word. pairs: i8[2**21], for pairs inside words.
    """

    ends: NDArray[np.int8]
    starts: NDArray[np.int8]
    pairs: NDArray[np.int8]


@cache
def load_adjacency() -> Adjacency:
    """Return the tables of this package, loaded once."""
    with (
        resources.files("fingerprinter").joinpath("tables", ADJACENCY_FILE).open("rb") as file,
        np.load(file) as stored,
    ):
        pairs = np.full(1 << PAIR_BITS, UNKNOWN_PAIR, np.int8)
        pairs[np.cumsum(stored["slot_steps"], dtype=np.int64)] = stored["pair_nats"]
        return Adjacency(stored["ends"], stored["starts"], pairs)


@compiled("i8(u4, u4)")
def pair_slot(first, second):  # type: ignore[no-untyped-def]  # compiled
    """Return the slot of a pair in the hashed table. Some pairs share a slot."""
    mixed = ((np.uint64(first) << _HALF_BITS) | np.uint64(second)) * _ADJACENCY_HASH_FACTOR
    return np.int64(mixed >> _ADJACENCY_SLOT_SHIFT)


@compiled("f4(u4, u4, i1[::1], i1[::1], i1[::1])")
def adjacency_nats(first, second, ends, starts, pairs):  # type: ignore[no-untyped-def]  # compiled
    """Return the nats by which two adjacent characters favour text over chance. Unknown characters give 0."""
    if first >= PLANE or second >= PLANE:
        return np.float32(0.0)
    steps = max(np.int64(ends[first]) + np.int64(starts[second]), np.int64(pairs[pair_slot(first, second)]))
    return np.float32(min(max(steps * NATS_PER_STEP, _LEAST_NATS), _MOST_NATS))
