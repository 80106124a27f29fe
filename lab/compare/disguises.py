"""What pirates do to a text, done on the fly: the same seed gives the same copy."""

import random
import re
from collections.abc import Callable
from functools import cache

from lab.demo.disguises import ADVERTS, INVISIBLE
from lab.demo.traditional import to_traditional

Disguise = Callable[[str, random.Random], str | None]

EXCERPT = 400  # characters
_ADVERT_EVERY = 6  # sentences
_LEFT_SIMPLIFIED = 0.02  # of the characters, above which our table does not cover a text
_SENTENCE = re.compile(r"[^。！？\n]*[。！？\n]+|[^。！？\n]+$")
_COMMON = range(0xB0A1, 0xD7FA)  # GB 2312, rows 16-55: the 3,755 characters in common use
_SWAPPED = 0.3


def _none(text: str, source: random.Random) -> str:  # noqa: ARG001  a plain copy leaves nothing to chance
    return text


def _noise(share: float) -> Disguise:
    def disguise(text: str, source: random.Random) -> str:
        """Substitutions, deletions and insertions in equal parts, of the text's own characters."""
        made = []
        for char in text:
            edit = source.choice("sdi") if char != "\n" and source.random() < share else ""
            made.append({"s": source.choice(text), "d": "", "i": char + source.choice(text)}.get(edit, char))
        return "".join(made)

    return disguise


@cache
def _sounds() -> tuple[dict[str, str], dict[str, str]]:
    """The usual reading of each character in common use, and the characters of each reading."""
    import pypinyin  # with all readings of 47,000 phrases

    sound_of: dict[str, str] = {}
    said: dict[str, str] = {}
    for code in _COMMON:
        if char := code.to_bytes(2, "big").decode("gb2312", "ignore"):
            ((sound,),) = pypinyin.pinyin(char, style=pypinyin.Style.NORMAL)
            sound_of[char] = sound
            said[sound] = said.get(sound, "") + char
    return sound_of, said


def _homophone(text: str, source: random.Random) -> str:
    """Three in ten characters swapped for another of the same sound, whatever its tone, where there is one."""
    sound_of, said = _sounds()
    return "".join(
        source.choice(said[sound_of[char]].replace(char, "") or char)
        if char in sound_of and source.random() < _SWAPPED
        else char
        for char in text
    )


def _traditional(text: str, source: random.Random) -> str | None:  # noqa: ARG001  the same
    """None where the table does not cover the text."""
    made = to_traditional(text)
    simplified = sum(1 for char in made if char.encode("gb2312", "ignore") and not char.encode("big5", "ignore"))
    return made if simplified <= _LEFT_SIMPLIFIED * len(made) and made != text else None


def _ads(text: str, source: random.Random) -> str:
    """An advert after every sixth sentence."""
    return "".join(
        sentence + (source.choice(ADVERTS) if number % _ADVERT_EVERY == 0 else "")
        for number, sentence in enumerate(_SENTENCE.findall(text), 1)
    )


def _invisible(text: str, source: random.Random) -> str:
    """A character of no width after about every third."""
    return "".join(char + (source.choice(INVISIBLE) if source.random() < 1 / 3 else "") for char in text)


def _shuffle(text: str, source: random.Random) -> str:
    sentences = [sentence.strip("\n") for sentence in _SENTENCE.findall(text)]
    source.shuffle(sentences)
    return "\n".join(sentence for sentence in sentences if sentence)


def _excerpt(text: str, source: random.Random) -> str | None:
    """None for a text that is hardly longer than an excerpt."""
    if len(text) < 2 * EXCERPT:
        return None
    start = source.randrange(len(text) - EXCERPT)
    return text[start : start + EXCERPT]


DISGUISES: dict[str, Disguise] = {
    "none": _none,
    "noise05": _noise(0.05),
    "noise10": _noise(0.10),
    "noise20": _noise(0.20),
    "homophone30": _homophone,
    "trad": _traditional,
    "ads": _ads,
    "invisible": _invisible,
    "shuffle": _shuffle,
    "excerpt": _excerpt,
}


def disguised(text: str, kind: str, seed: str) -> str | None:
    """The text under a disguise of `DISGUISES`; None where that disguise cannot be made of it."""
    return DISGUISES[kind](text, random.Random(f"{kind}/{seed}"))
