"""What pirates do to a passage, each from a seed: text -> text."""

import base64
import random
import re
from collections.abc import Callable
from functools import cache

from wenhen.demo.articles import swap_homophones, to_traditional

Disguise = Callable[[str, random.Random], str]

ADVERTS = ("【请记住本站网址，手机阅读更方便】", "（广告：关注公众号，免费看全本）", "——求收藏求推荐，新书已上架——")
LONG_ADVERT = (
    "（温馨提示：方向键左右可以翻页，回车返回目录。如果您喜欢本站，请把它推荐给您的朋友，"
    "让更多的人加入到我们的阅读大家庭里来，谢谢大家长期以来的厚爱。）"
)
COMMON = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主"
    "发年动同工也能下过子说产种面而方后多定行学法所"
)
SYNONYMS = {
    "他们": "那些人",
    "已经": "早已",
    "因为": "由于",
    "所以": "因此",
    "但是": "可是",
    "大约": "差不多",
    "时候": "时刻",
    "父亲": "爸爸",
    "现在": "如今",
    "立刻": "马上",
    "知道": "晓得",
    "喜欢": "爱",
    "开始": "着手",
    "告诉": "对人说",
    "非常": "十分",
    "看见": "瞧见",
    "不是": "并非",
    "没有": "未曾",
    "一个": "某个",
    "自己": "自家",
    "什么": "啥",
    "孩子": "小孩",
    "每天": "天天",
    "觉得": "认为",
}
TAIWAN = {
    "公交": "公車",
    "电脑": "電腦",
    "硬盘": "硬碟",
    "软件": "軟體",
    "网络": "網路",
    "文件": "檔案",
    "视频": "影片",
    "程序": "程式",
    "出租车": "計程車",
}
PEOPLE = {"父亲": "老王", "母亲": "李婶", "爷爷": "周伯", "奶奶": "陈婆", "先生": "师傅", "老师": "教头"}
PADDING = (
    "说句实在话，",
    "大家都知道的是，",
    "换个角度来看，",
    "话又说回来，",
    "时间就这样一分一秒地过去了，",
    "那种感觉很难用语言来形容，",
    "谁也没有想到事情会是这样，",
    "四周安静得连一根针掉下来都听得见，",
)
NOTES = (
    "（注：这是旧时的说法）",
    "（编者按：此处原稿如此）",
    "（读者留言：写得真好）",
    "（意思是说已成定局）",
    "（生词略）",
)
COMMENTS = ("前方高能", "哈哈哈哈", "泪目了", "打卡", "第一", "233333", "yyds", "好看好看", "求更新")
PARTICLES = ("其实", "那么", "就是", "便是", "可以说", "这个", "一下", "呢", "啊", "嘛", "了", "的")
CHEQUE = str.maketrans("一二三四五六七八九十百千", "壹贰叁肆伍陆柒捌玖拾佰仟")
INVISIBLE = "\u200b\u200c\u2060\ufeff "


def _is_han(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff"


def _noise(percent: int) -> Disguise:
    def disguise(text: str, rng: random.Random) -> str:
        """Characters replaced, left out and put in, in equal parts."""
        changed = []
        for char in text:
            what = rng.choice("rdi") if _is_han(char) and rng.random() < percent / 100 else ""
            changed.append({"": char, "r": rng.choice(COMMON), "d": "", "i": char + rng.choice(COMMON)}[what])
        return "".join(changed)

    return disguise


def _ads(text: str, rng: random.Random) -> str:
    clauses = re.split(r"(?<=[，。！？；])", text)
    return "".join(clause + (rng.choice(ADVERTS) if rng.random() < 0.25 else "") for clause in clauses)


def _ads_throughout(text: str, rng: random.Random) -> str:
    return "".join(clause + rng.choice(ADVERTS) for clause in re.split(r"(?<=[，。！？；])", text) if clause)


def _invisible(text: str, rng: random.Random) -> str:
    return "".join(char + (rng.choice(INVISIBLE) if rng.random() < 0.4 else "") for char in text)


def _shuffle(text: str, rng: random.Random) -> str:
    sentences = re.split(r"(?<=[。！？])", text)
    rng.shuffle(sentences)
    return "".join(sentences)


def _swap(text: str, rng: random.Random) -> str:
    """Now and then two neighbouring pairs of characters change places."""
    return re.sub(
        r"([\u4e00-\u9fff]{2})([\u4e00-\u9fff]{2})",
        lambda found: found[2] + found[1] if rng.random() < 0.25 else found[0],
        text,
    )


@cache
def _sound(char: str, tone: str = "NORMAL") -> str:
    """The usual reading, in one of the styles of pypinyin."""
    from pypinyin import Style, lazy_pinyin  # with all readings of 47,000 phrases

    return lazy_pinyin(char, style=getattr(Style, tone))[0]


def _pinyin(text: str, rng: random.Random) -> str:
    return "".join(_sound(char) if _is_han(char) and rng.random() < 0.1 else char for char in text)


def _synonyms(text: str, _: random.Random) -> str:
    return re.sub("|".join(SYNONYMS), lambda found: SYNONYMS[found[0]], text)


def _taiwan(text: str, _: random.Random) -> str:
    return to_traditional(re.sub("|".join(TAIWAN), lambda found: TAIWAN[found[0]], text))


def _syllables(text: str, tone: str, between: str) -> str:
    """The whole text in pinyin."""
    return "".join(_sound(char, tone) + between if _is_han(char) else char for char in text)


def _stuck(share: float) -> Disguise:
    def disguise(text: str, rng: random.Random) -> str:
        """Single letters and digits between the characters."""
        return "".join(char + (rng.choice("abcdxyz0123456789") if rng.random() < share else "") for char in text)

    return disguise


def _long_adverts(text: str, _: random.Random) -> str:
    return "".join(sentence + LONG_ADVERT for sentence in re.split(r"(?<=[。！？])", text) if sentence)


def _rewritten(text: str, rng: random.Random) -> str:
    """A fifth of the clauses is replaced by other words."""
    clauses = re.split(r"(?<=[，。！？；])", text)
    return "".join(
        "".join(rng.choice(COMMON) if _is_han(char) else char for char in clause) if rng.random() < 0.2 else clause
        for clause in clauses
    )


def _left_out(text: str, rng: random.Random) -> str:
    """One sentence from the middle is missing."""
    sentences = re.split(r"(?<=[。！？])", text)
    inner = range(1, len(sentences) - 1)
    gone = rng.choice(inner) if inner else -1
    return "".join(sentence for place, sentence in enumerate(sentences) if place != gone)


def _columns(text: str, _: random.Random) -> str:
    """Downwards in columns of ten, from the right."""
    plain = re.sub(r"\s", "", text)
    cut = [plain[at : at + 10].ljust(10, "\u3000") for at in range(0, len(plain), 10)]
    return "\n".join("".join(column[row] for column in cut[::-1]) for row in range(10))


def _clauses(text: str) -> list[str]:
    return [clause for clause in re.split(r"(?<=[，。！？；：\n])", text) if clause.strip()]


def _in_lines(text: str, stamp: Callable[[int], str], behind: str = "") -> str:
    """A line for each clause, its last mark left out."""
    lines = (re.sub(r"[^\w”’）》]+$", "", clause.strip()) for clause in _clauses(text))
    return "\n".join(stamp(number) + line + behind for number, line in enumerate(lines, 1))


def _subtitles(text: str, _: random.Random) -> str:
    times = "00:{0:02}:01.00,0:{0:02}:05.00"
    return _in_lines(text, lambda number: f"Dialogue: 0,{times.format(number % 60)},Default,,0,0,0,,")


def _chat(text: str, rng: random.Random) -> str:
    names = ("张三", "小明", "夜雨")
    return _in_lines(text, lambda number: f"{rng.choice(names)} 2024-05-01 20:{number % 60:02}\n")


def _table(text: str, _: random.Random) -> str:
    return _in_lines(text, lambda number: f"| {number} | ", " | 2024/5/12 | 3.5 |")


def _in_a_program(text: str, _: random.Random) -> str:
    return _in_lines(text, lambda _: 'System.out.println("', '");')


def _annotated(text: str, rng: random.Random) -> str:
    """A note behind each clause."""
    return "".join(clause + rng.choice(NOTES) for clause in _clauses(text))


def _commented(text: str, rng: random.Random) -> str:
    """What viewers throw in, behind each clause."""
    return "".join(f"{clause}{rng.choice(COMMENTS)} " for clause in _clauses(text))


def _wordy(text: str, rng: random.Random) -> str:
    """Idle words behind every eighth character."""
    return "".join(char + (rng.choice(PARTICLES) if _is_han(char) and rng.random() < 1 / 8 else "") for char in text)


def _clauses_swapped(text: str, _: random.Random) -> str:
    """In each sentence every two clauses have changed places."""
    swapped = []
    for sentence in re.split(r"(?<=[。！？\n])", text):
        clauses = _clauses(sentence)
        for at in range(0, len(clauses) - 1, 2):
            clauses[at : at + 2] = clauses[at : at + 2][::-1]
        swapped += clauses
    return "".join(swapped)


def _shown_backwards(text: str, _: random.Random) -> str:
    """Every other clause is turned round behind a mark that has it shown as it was."""
    clauses = _clauses(text)
    return "".join(f"\u202e{one[::-1]}\u202c" if place % 2 else one for place, one in enumerate(clauses))


def _in_cells(text: str, _: random.Random) -> str:
    """Each character in a cell of its own."""
    plain = re.sub(r"\s", "", text)
    return "\n".join(" | ".join(plain[at : at + 8]) for at in range(0, len(plain), 8))


def _padded(text: str, rng: random.Random) -> str:
    """Half of the clauses have an idle one behind them, and the people other names."""
    for name, other in PEOPLE.items():
        text = text.replace(name, other)
    padding = (clause + (rng.choice(PADDING) if rng.random() < 0.5 else "") for clause in _clauses(text))
    return "".join(padding)


def _every_other(text: str, _: random.Random) -> str:
    sentences = re.split(r"(?<=[。！？\n])", text)
    return "".join([*sentences[:-1:2], sentences[-1]])


def _two_columns(text: str, _: random.Random) -> str:
    """As they stand beside each other on a page, the lines of both read as one."""
    plain = re.sub(r"\s", "", text)
    lines = [plain[at : at + 16] for at in range(0, len(plain), 16)]
    half = -(-len(lines) // 2)
    return "\n".join(f"{left}    {right}" for left, right in zip(lines[:half], [*lines[half:], ""], strict=False))


def _readings(text: str, _: random.Random) -> str:
    """Behind each character, no mark between."""
    return " ".join(char + _sound(char, "TONE") for char in text if _is_han(char))


def _tagged(text: str, rng: random.Random) -> str:
    return "".join(f'<span class="c{rng.randrange(99)}">{char}</span>' if _is_han(char) else char for char in text)


DISGUISES: dict[str, Disguise] = {
    "none": lambda text, _: text,
    "noise10": _noise(10),
    "noise20": _noise(20),
    "homophone": lambda text, _: swap_homophones(text, 100),
    "trad": lambda text, _: to_traditional(text),
    "taiwan": _taiwan,
    "ads": _ads,
    "adverts behind all clauses": _ads_throughout,
    "noise10+ads": lambda text, rng: _ads(_noise(10)(text, rng), rng),
    "invisible": _invisible,
    "separators": lambda text, rng: rng.choice(".*|-·/").join(text),
    "unpunctuated": lambda text, _: re.sub(r"[^\w]", "", text),
    "shuffle": _shuffle,
    "swap": _swap,
    "pinyin": _pinyin,
    "pinyin throughout": lambda text, _: _syllables(text, "NORMAL", " "),
    "pinyin with tone digits": lambda text, _: _syllables(text, "TONE3", ""),
    "letters and digits between": _stuck(0.3),
    "a letter or digit behind each character": lambda text, rng: "".join(
        char + rng.choice("abcdxyz0123456789") for char in text
    ),
    "escaped": lambda text, _: "".join(f"\\u{ord(char):04x}" if _is_han(char) else char for char in text),
    "misread": lambda text, _: text.encode().decode("latin-1"),
    "misread as GBK": lambda text, _: text.encode().decode("gb18030", "replace"),
    "backwards": lambda text, _: text[::-1],
    "lines backwards": lambda text, _: "\n".join(line[::-1] for line in text.split("\n")),
    "columns": _columns,
    "long adverts": _long_adverts,
    "clauses rewritten": _rewritten,
    "noise25": _noise(25),
    "synonyms": _synonyms,
    "left_out": _left_out,
    "noise10+shuffle": lambda text, rng: _shuffle(_noise(10)(text, rng), rng),
    "trad+shuffle+ads": lambda text, rng: _ads(_shuffle(to_traditional(text), rng), rng),
    "subtitles": _subtitles,
    "chat": _chat,
    "table": _table,
    "in a program": _in_a_program,
    "annotated": _annotated,
    "commented": _commented,
    "wordy": _wordy,
    "clauses swapped": _clauses_swapped,
    "shown backwards": _shown_backwards,
    "written twice": lambda text, _: "".join(char * (2 if _is_han(char) else 1) for char in text),
    "a character a cell": _in_cells,
    "figures as on a cheque": lambda text, _: text.translate(CHEQUE),
    "strokes between": lambda text, rng: rng.choice("丨丶口一").join(text),
    "padded, people renamed": _padded,
    "every other sentence": _every_other,
    "two columns": _two_columns,
    "readings": lambda text, _: " ".join(char + _sound(char, "TONE") for char in text if _is_han(char)),
    "tagged": _tagged,
    "Base64": lambda text, _: base64.b64encode(text.encode()).decode(),
    "homophone+ads": lambda text, rng: _ads(swap_homophones(text, 100), rng),
}
