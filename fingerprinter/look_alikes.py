"""Characters that stand for another one by their shape, which no Unicode normalisation folds."""

# Cyrillic, Greek, phonetic and other letters that a reader takes for a Latin letter.
_LATIN = {
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

# Radicals that page layout programs put in place of the character (PDF text), and kana that stands for one.
_HAN = {
    "⺁": "厂", "⺄": "乙", "⺆": "冂", "⺈": "刀", "⺊": "卜", "⺌": "小", "⺍": "小", "⺑": "旡", "⺕": "彐", "⺗": "心",
    "⺛": "旡", "⺝": "月", "⺟": "母", "⺠": "民", "⺫": "目", "⺮": "竹", "⺶": "羊", "⺷": "羊", "⺸": "羊", "⺻": "聿",
    "⺼": "肉", "⺿": "草", "⻀": "草", "⻁": "虎", "⻄": "西", "⻅": "见", "⻆": "角", "⻉": "贝", "⻋": "车", "⻌": "辵",
    "⻑": "长", "⻒": "长", "⻓": "长", "⻔": "门", "⻘": "青", "⻙": "韦", "⻚": "页", "⻛": "风", "⻜": "飞", "⻝": "食",
    "⻢": "马", "⻣": "骨", "⻤": "鬼", "⻥": "鱼", "⻦": "鸟", "⻧": "卤", "⻨": "麦", "⻩": "黄", "⻬": "齐", "⻮": "齿",
    "⻰": "龙", "⻳": "龟", "の": "的",
}  # fmt: skip

# Zhuyin consonants, by the initial that pinyin writes for them.
_ZHUYIN = dict(zip("ㄅㄆㄇㄈㄉㄊㄋㄌㄍㄎㄏㄐㄑㄒㄓㄔㄕㄖㄗㄘㄙ", "bpmfdtnlgkhjqxzcsrzcs", strict=True))

LATIN_LOOK_ALIKES = {shape: letter for letter, shapes in _LATIN.items() for shape in shapes}
HAN_LOOK_ALIKES = _HAN
ZHUYIN_INITIALS = _ZHUYIN
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
