"""Undo characters that are split into parts, doubled, or separated by a foreign character."""

import re

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import IGNORED_POINT, LAST_ASCII, pad_with_ignored
from fingerprinter.compiled import compiled

MIN_SEPARATED = 8  # of one character in succession, each behind one other character


# Characters that are written as their parts (亻尔女子 for 你好), read as the characters that they are.
#
# Readers of Chinese see through it, filters of words do not. It is looked for in lines where several radicals stand
# that are no characters by themselves.


_RADICALS = "亻讠氵扌忄纟钅饣衤礻犭疒彳冫艹宀囗辶阝刂攵灬"  # those that no text writes alone, unless about characters
RADICAL_SIGNS = _RADICALS[:4]  # no passage that is written so is without all of these
_MIN_RADICALS = 3  # radicals in a line

_CHARACTERS_WITH_PARTS = (
    "你亻尔他亻也们亻门什亻十作亻乍做亻故住亻主位亻立但亻旦何亻可使亻吏便亻更保亻呆信亻言休亻木体亻本像亻象件亻牛"
    "任亻壬代亻弋付亻寸份亻分价亻介低亻氐似亻以倒亻到借亻昔值亻直健亻建停亻亭偏亻扁优亻尤仍亻乃化亻匕仅亻又传亻专"
    "供亻共例亻列侧亻则俗亻谷偷亻俞催亻崔债亻责江氵工河氵可海氵每没氵殳法氵去活氵舌清氵青汗氵干池氵也洗氵先油氵由"
    "波氵皮泪氵目洋氵羊注氵主泥氵尼治氵台沙氵少汽氵气消氵肖浪氵良港氵巷湖氵胡滑氵骨漂氵票演氵寅漫氵曼酒氵酉浅氵戋"
    "测氵则渐氵斩深氵罙流氵㐬说讠兑话讠舌认讠人记讠己让讠上请讠青谁讠隹语讠吾计讠十订讠丁讨讠寸训讠川议讠义许讠午"
    "论讠仑设讠殳访讠方证讠正评讠平识讠只诉讠斥词讠司试讠式诗讠寺诚讠成该讠亥误讠吴读讠卖课讠果调讠周谈讠炎谢讠射"
    "谎讠荒讲讠井诸讠者谓讠胃谋讠某打扌丁找扌戈把扌巴拉扌立接扌妾提扌是抱扌包拍扌白持扌寺指扌旨按扌安抬扌台拾扌合"
    "排扌非推扌隹描扌苗搬扌般扣扌口技扌支抓扌爪抗扌亢折扌斤拔扌犮拆扌斥招扌召换扌奂挂扌圭挑扌兆挤扌齐林木木村木寸"
    "树木对机木几相木目杯木不校木交根木艮桥木乔样木羊板木反析木斤枝木支柱木主检木佥植木直楼木娄概木既李木子好女子她"
    "女也如女口妈女马始女台姐女且妹女未姑女古奶女乃妇女彐娘女良姓女生婚女昏妙女少明日月时日寸晚日免昨日乍晴日青映日"
    "央暗日音星日生和禾口叫口丩吃口乞吧口巴吗口马呢口尼哪口那喝口曷听口斤吹口欠唱口昌味口未咱口自哈口合响口向喊口咸"
    "呼口乎吵口少另口力加力口知矢口的白勺对又寸欢又欠双又又难又隹从人人地土也块土夬坏土不城土成教孝攵放方攵政正攵故"
    "古攵收丩攵数娄攵现王见理王里球王求眼目艮睡目垂睛目青看手目种禾中科禾斗秋禾火程禾呈私禾厶秘禾必利禾刂香禾日经纟"
    "圣给纟合红纟工级纟及细纟田线纟戋组纟且结纟吉纪纟己约纟勺纸纟氏终纟冬绍纟召统纟充绿纟录路足各跑足包跟足艮跳足兆"
    "轻车圣转车专较车交都者阝部咅阝阳阝日阴阝月队阝人院阝完际阝示陈阝东阿阝可附阝付钱钅戋错钅昔银钅艮钟钅中铁钅失针"
    "钅十饭饣反馆饣官饮饣欠饿饣我歌哥欠次冫欠冷冫令决冫夬准冫隹冰冫水动云力助且力功工力别另刂到至刂刚冈刂则贝刂刻亥"
    "刂朋月月期其月脸月佥脚月却腿月退腰月要胜月生肚月土胖月半快忄夬情忄青怕忄白性忄生惊忄京忙忄亡怪忄圣恨忄艮惯忄贯"
    "想相心意音心思田心怎乍心忘亡心念今心您你心感咸心息自心忍刃心恋亦心态太心愿原心点占灬热执灬照昭灬这文辶过寸辶还"
    "不辶进井辶近斤辶远元辶送关辶道首辶边力辶连车辶运云辶通甬辶逃兆辶迷米辶速束辶遇禺辶退艮辶问门口间门日闻门耳闪门"
    "人闭门才国囗玉因囗大回囗口围囗韦园囗元困囗木男田力笔竹毛等竹寺第竹弟花艹化草艹早药艹约苦艹古英艹央落艹洛节艹卩"
    "蓝艹监菜艹采字宀子家宀豕安宀女它宀匕完宀元定宀正客宀各宝宀玉空穴工突穴犬穿穴牙窗穴囱美羊大鲜鱼羊章立早站立占童"
    "立里新亲斤所户斤张弓长强弓虽引弓丨很彳艮行彳亍往彳主待彳寺律彳聿得彳㝵狗犭句猫犭苗猪犭者狼犭良独犭虫病疒丙疼疒"
    "冬痛疒甬祖礻且神礻申福礻畐社礻土视礻见衬衤寸被衤皮初衤刀补衤卜裙衤君"
)
_CHARACTER_BY_PARTS = {
    _CHARACTERS_WITH_PARTS[at + 1 : at + 3]: _CHARACTERS_WITH_PARTS[at]
    for at in range(0, len(_CHARACTERS_WITH_PARTS), 3)
}
_SPLIT = re.compile("|".join(_CHARACTER_BY_PARTS))
_RADICAL = re.compile(f"[{_RADICALS}]")


def join_split_characters(text: str) -> str:
    r"""The text with the characters that its lines split, each as long as its parts so that no offset changes.

    >>> join_split_characters("亻尔女子，亻也讠兑") == "你\u200b好\u200b，他\u200b说\u200b"
    True
    """
    if not any(radical in text for radical in RADICAL_SIGNS):
        return text
    return "\n".join(_join_line(line) for line in text.split("\n"))


def _join_line(line: str) -> str:
    return _SPLIT.sub(_whole_character, line) if len(_RADICAL.findall(line)) >= _MIN_RADICALS else line


def _whole_character(split: re.Match[str]) -> str:
    return pad_with_ignored(_CHARACTER_BY_PARTS[split[0]], split[0])


# Characters that are written twice (我我们们在在), again and again: the second one tells nothing.
#
# Words that are written so by themselves (看看, 高高兴兴) stand alone, or a few together.


FIRST_HAN = 0x3400
MIN_DOUBLED = 12  # such characters in succession ...
_MAX_BETWEEN_DOUBLED = 6  # ... with so many places of other Han characters between two of them at most

_Points = NDArray[np.uint32]


@compiled("b1(Array(u4, 1, 'C', readonly=True))")
def has_doubles(points: _Points) -> bool:
    """Whether characters are written twice in succession, told at memory speed."""
    count = between = 0
    for place in range(1, len(points)):
        if _is_doubled(points, place):
            count = count + 1 if between <= _MAX_BETWEEN_DOUBLED else 1
            between = -1  # the first of the next one is counted, too
            if count == MIN_DOUBLED:
                return True
        else:
            between += points[place] >= FIRST_HAN
    return False


@compiled("u4[::1](Array(u4, 1, 'C', readonly=True))")
def remove_doubles(points: _Points) -> _Points:
    """The code points of a text, the second of two replaced by one that gives no letter. points: u32[n]."""
    read = points.copy()
    seconds = np.empty(len(points), np.int64)  # those in succession
    count = between = 0
    for place in range(1, len(points)):
        if not _is_doubled(points, place):
            between += points[place] >= FIRST_HAN
            continue
        count = count if between <= _MAX_BETWEEN_DOUBLED else 0
        between = -1
        seconds[count] = place
        count += 1
        if count >= MIN_DOUBLED:
            read[seconds[:count] if count == MIN_DOUBLED else seconds[count - 1 : count]] = IGNORED_POINT
    return read


@compiled("b1(Array(u4, 1, 'C', readonly=True), i8)")
def _is_doubled(points: _Points, place: int) -> bool:
    """Whether a Han character stands there and right before, and no third time beside them."""
    this = points[place]
    if this < FIRST_HAN or points[place - 1] != this:
        return False
    behind = place + 1 < len(points) and points[place + 1] == this
    return not behind and not (place > 1 and points[place - 2] == this)


# One character that stands between all others (云口在口山口上): it is a separator, whatever it means elsewhere.
#
# Marks that give no letter anyway are left out without a look at what is around.


def remove_separators(points: _Points) -> _Points:
    """The code points of a text, its separators replaced by one that gives no letter. points: u32[n]."""
    counts, others = _count_alternations(points)
    read: _Points = _blank_separators(points.copy(), counts, others)
    return read


@compiled("UniTuple(i4[::1], 2)(Array(u4, 1, 'C', readonly=True))")
def _count_alternations(points):  # type: ignore[no-untyped-def]  # compiled
    """i32[n] each: how often from here on the code point stands that stands two before; and how often what stands
    between changes. Told from the end, as looking ahead from each place would take the square of a text's length.
    """
    counts, others = np.zeros(len(points), np.int32), np.zeros(len(points), np.int32)
    for place in range(len(points) - 1, 1, -1):
        if points[place] != points[place - 2] or points[place] == points[place - 1] or points[place] <= LAST_ASCII:
            continue
        goes_on = place + 2 < len(points) and counts[place + 2] > 0
        counts[place] = 1 + (counts[place + 2] if goes_on else 0)
        others[place] = others[place + 2] + (points[place + 1] != points[place - 1]) if goes_on else 0
    return counts, others


@compiled("u4[::1](u4[::1], i4[::1], i4[::1])")
def _blank_separators(points, counts, others):  # type: ignore[no-untyped-def]  # compiled
    place = 2
    while place < len(points):
        if counts[place] >= MIN_SEPARATED and 2 * others[place] >= counts[place]:
            end = place + 2 * counts[place]
            for at in range(place - 2, end, 2):
                points[at] = IGNORED_POINT
            place = end
        place += 1
    return points
