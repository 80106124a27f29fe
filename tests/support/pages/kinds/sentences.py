"""Prose of our own, made from a seed, so that each page says something that no other page says."""

from collections.abc import Sequence
from random import Random

_WHO = [
    "老船工",
    "修表的师傅",
    "镇上的邮差",
    "年轻的测绘员",
    "退休的女教师",
    "收旧书的人",
    "看林的老周",
    "新来的县长",
    "摄影社的学生",
    "养蜂人",
]
_WHEN = [
    "天还没有亮的时候",
    "雨停以后",
    "去年入冬那几天",
    "每逢集市",
    "开工的第三个星期",
    "傍晚涨潮之前",
    "那年夏天",
    "春汛刚过",
]
_WHERE = [
    "河口的老码头",
    "后山的引水渠",
    "县城新修的图书馆",
    "废弃的缫丝厂",
    "半山腰的气象站",
    "东街的茶馆",
    "水库的大坝",
    "火车站旧站房",
]
_DOES = (
    "把多年攒下的图纸一张一张摊开来比对",
    "和几位同伴商量怎样把旧木料重新用起来",
    "记下了水位、风向和过往船只的数目",
    "挨家挨户问那口钟究竟是哪一年铸的",
    "把漏雨的屋顶补了又补，却始终不肯搬走",
    "发现墙缝里塞着一封没有寄出去的信",
    "请来懂行的人看那些已经褪了色的壁画",
    "教孩子们辨认山坡上十几种不同的蕨草",
    "用一把旧算盘核完了整整三个季度的账目",
    "沿着干涸的河床走了大半天才找到泉眼",
)
_THEN = (
    "没有人想到后来会有那么大的变化",
    "这件事在当地一直被人提起",
    "旁边的人看了都说，这样的手艺快要失传了",
    "可是真正困难的部分，其实才刚刚开始",
    "直到很久以后大家才明白其中的缘由",
    "他只是笑了笑，又低下头去忙自己的活",
    "邻近几个村子的人听说以后也陆续赶来帮忙",
    "负责登记的同志把它写进了当年的简报",
)
_NUMBERS = ["三", "五", "七", "九", "十二", "十五", "二十", "三十六", "四十八", "一百零八"]
_THINGS = ["台阶", "窗格", "石磨", "界碑", "船钉", "瓦当", "绳结", "账册", "灯笼", "水闸"]


class Prose:
    """Sentences and paragraphs, the same for the same seed."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def _one(self, words: Sequence[str]) -> str:
        return self._random.choice(words)

    def sentence(self) -> str:
        """One sentence of some fifty characters."""
        end = self._one("。。。。！")
        return (
            f"{self._one(_WHEN)}，{self._one(_WHO)}在{self._one(_WHERE)}{self._one(_DOES)}，"
            f"前后数过{self._one(_NUMBERS)}处{self._one(_THINGS)}，{self._one(_THEN)}{end}"
        )

    def paragraphs(self, count: int, sentences: int = 2) -> list[str]:
        """So many paragraphs of so many sentences."""
        return ["".join(self.sentence() for _ in range(sentences)) for _ in range(count)]

    def dialogue(self, lines: int) -> list[str]:
        """Lines of talk, most of them short."""
        said = [
            "“你去不去？”",
            "“不去。”",
            "“那天你看见了什么？”",
            "“一条船，没有灯。”",
            "“后来呢？”",
            "“后来就下雨了。”",
        ]
        return [self.sentence() if n % 3 == 2 else self._one(said) for n in range(lines)]

    def title(self) -> str:
        """A headline of some fifteen characters."""
        return f"{self._one(_WHERE)}里的{self._one(_NUMBERS)}处{self._one(_THINGS)}，{self._one(_WHO)}这样说"

    def links(self, count: int, pattern: str = "<li><a href=/a/{n}.html>{title}</a></li>") -> str:
        """So many links to other articles."""
        return "".join(pattern.format(n=self._random.randrange(10**6), title=self.title()) for _ in range(count))
