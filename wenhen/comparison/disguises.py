"""Obfuscate texts for a trial. The same seed gives the same copy."""

import random
import re
from collections.abc import Callable
from functools import cache

from wenhen.demo.disguises import ADVERTS, INVISIBLE_CHARACTERS, to_traditional

Disguise = Callable[[str, random.Random], str | None]

EXCERPT_CHARACTERS = 400  # characters
_SENTENCES_PER_ADVERT = 6  # sentences
_MAX_SIMPLIFIED_SHARE = 0.02  # of the characters; above it, the conversion table does not cover the text
_SENTENCE_PATTERN = re.compile(r"[^。！？\n]*[。！？\n]+|[^。！？\n]+$")
_COMMON_CODES = range(0xB0A1, 0xD7FA)  # GB 2312, rows 16-55: the 3,755 characters in common use
_SWAPPED_SHARE = 0.3


def _copy_plain(text: str, source: random.Random) -> str:  # noqa: ARG001  a plain copy uses no randomness
    return text


def _make_noise(share: float) -> Disguise:
    def disguise(text: str, source: random.Random) -> str:
        """Substitute, delete and insert characters of the text in equal parts."""
        made = []
        for char in text:
            edit = source.choice("sdi") if char != "\n" and source.random() < share else ""
            made.append({"s": source.choice(text), "d": "", "i": char + source.choice(text)}.get(edit, char))
        return "".join(made)

    return disguise


@cache
def _load_sounds() -> tuple[dict[str, str], dict[str, str]]:
    """Load the usual reading of each common character, and the characters of each reading."""
    import pypinyin  # loads the readings of 47,000 phrases

    sound_of: dict[str, str] = {}
    most_frequent: dict[str, str] = {}
    for code in _COMMON_CODES:
        if char := code.to_bytes(2, "big").decode("gb2312", "ignore"):
            ((sound,),) = pypinyin.pinyin(char, style=pypinyin.Style.NORMAL)
            sound_of[char] = sound
            most_frequent[sound] = most_frequent.get(sound, "") + char
    return sound_of, most_frequent


def _swap_homophones(text: str, source: random.Random) -> str:
    """Replace three in ten characters by others of the same sound, in any tone, if there are any."""
    sound_of, most_frequent = _load_sounds()
    return "".join(
        source.choice(most_frequent[sound_of[char]].replace(char, "") or char)
        if char in sound_of and source.random() < _SWAPPED_SHARE
        else char
        for char in text
    )


def _convert_to_traditional(text: str, source: random.Random) -> str | None:  # noqa: ARG001  uses no randomness
    """Convert to traditional characters. Return None if the table does not cover the text."""
    made = to_traditional(text)
    simplified = sum(1 for char in made if char.encode("gb2312", "ignore") and not char.encode("big5", "ignore"))
    return made if simplified <= _MAX_SIMPLIFIED_SHARE * len(made) and made != text else None


def _insert_adverts(text: str, source: random.Random) -> str:
    """Insert an advert after every sixth sentence."""
    return "".join(
        sentence + (source.choice(ADVERTS) if number % _SENTENCES_PER_ADVERT == 0 else "")
        for number, sentence in enumerate(_SENTENCE_PATTERN.findall(text), 1)
    )


def _insert_invisible(text: str, source: random.Random) -> str:
    """Insert a zero-width character after about every third character."""
    return "".join(char + (source.choice(INVISIBLE_CHARACTERS) if source.random() < 1 / 3 else "") for char in text)


def _shuffle_sentences(text: str, source: random.Random) -> str:
    sentences = [sentence.strip("\n") for sentence in _SENTENCE_PATTERN.findall(text)]
    source.shuffle(sentences)
    return "\n".join(sentence for sentence in sentences if sentence)


def _take_excerpt(text: str, source: random.Random) -> str | None:
    """Take an excerpt. Return None if the text has less than two excerpts' length."""
    if len(text) < 2 * EXCERPT_CHARACTERS:
        return None
    start = source.randrange(len(text) - EXCERPT_CHARACTERS)
    return text[start : start + EXCERPT_CHARACTERS]


DISGUISES: dict[str, Disguise] = {
    "none": _copy_plain,
    "noise05": _make_noise(0.05),
    "noise10": _make_noise(0.10),
    "noise20": _make_noise(0.20),
    "homophone30": _swap_homophones,
    "trad": _convert_to_traditional,
    "ads": _insert_adverts,
    "invisible": _insert_invisible,
    "shuffle": _shuffle_sentences,
    "excerpt": _take_excerpt,
}


def disguise_text(text: str, kind: str, seed: str) -> str | None:
    """Return the text in a disguise of `DISGUISES`, or None if the disguise does not apply to it."""
    return DISGUISES[kind](text, random.Random(f"{kind}/{seed}"))
