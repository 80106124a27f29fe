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
_HAN_SHAPES = (
    "⺁⺄⺆⺈⺊⺌⺍⺑⺕⺗⺛⺝⺟⺠⺫⺮⺶⺷⺸⺻⺼⺿⻀⻁⻄⻅⻆⻉⻋⻌⻑⻒⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻬⻮⻰⻳の"
)
_HAN_CHARACTERS = (
    "厂乙冂刀卜小小旡彐心旡月母民目竹羊羊羊聿肉草草虎西见角贝车辵长长长门青韦页风飞食马骨鬼鱼鸟卤麦黄齐齿龙龟的"
)

# Zhuyin consonants, by the initial that pinyin writes for them.
ZHUYIN_INITIALS = dict(zip("ㄅㄆㄇㄈㄉㄊㄋㄌㄍㄎㄏㄐㄑㄒㄓㄔㄕㄖㄗㄘㄙ", "bpmfdtnlgkhjqxzcsrzcs", strict=True))

LATIN_LOOK_ALIKES = {shape: letter for letter, shapes in _LATIN.items() for shape in shapes}
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
