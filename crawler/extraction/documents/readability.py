"""Judge whether the extracted text of a document reads like text. Judge the whole document, never single pages.

A file may state its characters wrongly or not at all: PDF with a false ToUnicode or none, RTF and e-books in another
code page than they state, encrypted books. The result is garbled and must not be stored as text.
"""

import re
from collections import Counter
from collections.abc import Sequence

from crawler.extraction.charset import FREQUENT_CHARACTERS, common_characters
from crawler.extraction.fonts.detection import MIN_SYLLABLE_AFFINITY, MIN_WORD_PAIR_SHARE, PRIVATE_CHARACTER
from wenhen.kit.errors import Message, message

MIN_SIGN_CHARACTERS = 20  # characters of any kind that are evidence against a text
MIN_SHORT_CHARACTERS, MAX_SHORT_SHARE = 5, 0.05  # the same for undecodable ones in a short text, and their share
MAX_REPLACED_SHARE = 0.02  # of the characters; as for plain text
MAX_PRIVATE_SHARE = 0.1  # of the characters; bullets of symbol fonts are fewer
MAX_UNMAPPED_SHARE = 0.3  # of the characters of a PDF; without a map, glyph names still identify letters
MIN_COMMON_SHARE = 0.5  # of the characters without a map, below which they are no text
# Three signs together prove that Han text is garbled. Its character pairs form no words. Its syllables do not belong
# together. Its punctuation is scattered, as in exchanged characters, or another charset turns it into words. Classics
# without any punctuation share the first two signs, and are text.
MIN_HAN_PAIRS = 100
MIN_MARK_SHARE, MAX_MARK_SHARE = 0.001, 0.05  # of Han characters and punctuation; prose has .07 to .19
MAX_RARE_SHARE = 0.6  # of the Han characters; classics have a third
MARKS = "，。、；：？！,.;:?!"
SAMPLE_STRETCHES, STRETCH_CHARACTERS = 6, 450  # characters of Han text that are examined, from all over it
# Latin text has vowels and a few frequent letters in any language. Text with shifted letters has not.
MIN_LETTERS, MIN_VOWEL_SHARE, MIN_FREQUENT_SHARE = 450, 0.22, 0.3
MAX_SAME_SHARE = 0.6  # of one Han character
MAX_LETTER_SHARE = 0.25  # of one letter: redacted names are XXXX
VOWELS, FREQUENT_LETTERS = "aeiouyáéíóúäöüàèâêîôûåøæąęõãAEIOUY", "etaoinrsETAOINRS"
LATIN_LETTER = re.compile(r"[A-Za-z\u00c0-\u024f]")
HAN_RUN = re.compile(r"[\u3400-\u9fff]{2,}")
BEYOND_ASCII = re.compile(r"[^\x00-\x7f]{3,}")
MAX_MISREAD_CHARACTERS = 5_000  # characters that are re-encoded
MIN_REREAD_SHARE, MIN_REREAD_CHARACTERS = 0.6, 10  # of the re-decoded text: common characters; different ones
MIN_REREAD_WORD_SHARE = 0.36  # of the pairs of the re-decoded text
MIN_FREQUENT_HAN_SHARE = 0.05  # share of the most frequent characters in a text; prose has .2
MIN_WESTERN_SHARE = 0.9  # of the characters that are Western European
# The bytes of characters in Windows-1252 and Latin-1.
_WESTERN_BYTES = {chr(byte): byte for byte in range(0x80, 0x100)} | {
    sign: byte for byte in range(0x80, 0xA0) if (sign := bytes((byte,)).decode("cp1252", "ignore"))
}
_WESTERN_CHARACTER = re.compile(f"[{re.escape(''.join(_WESTERN_BYTES))}]")
MAX_UNREAD_SHARE = 0.25  # undecodable bytes in another decoding


def find_garbling(paragraphs: Sequence[str], unmapped: str = "") -> Message | None:
    """Return why paragraphs are garbled, or None if they are readable.

    unmapped: the characters of a PDF that it has no map for.
    """
    text = "\n".join(paragraphs)
    count = sum(map(len, paragraphs))
    replaced = text.count("\N{REPLACEMENT CHARACTER}")
    if (replaced >= MIN_SIGN_CHARACTERS and replaced > MAX_REPLACED_SHARE * count) or (
        replaced >= MIN_SHORT_CHARACTERS and replaced > MAX_SHORT_SHARE * count
    ):
        return message("documents.replaced", share=replaced / count)
    private = len(PRIVATE_CHARACTER.findall(text))
    if private >= MIN_SIGN_CHARACTERS and private > MAX_PRIVATE_SHARE * count:
        return message("documents.private", share=private / count)
    if _is_unmapped(unmapped, count):
        return message("documents.unmapped", share=len(unmapped) / count)
    if is_misread(text):
        return message("documents.misread")
    if (share := _nonsense_share(text)) is not None:
        return message("documents.nonsense", share=share)
    return message("documents.letters") if _is_one_character(text) or _is_shifted_latin(text) else None


def _is_unmapped(unmapped: str, count: int) -> bool:
    if len(unmapped) < MIN_SIGN_CHARACTERS or len(unmapped) < MAX_UNMAPPED_SHARE * count:
        return False
    return sum(map(_is_common, unmapped)) < MIN_COMMON_SHARE * len(unmapped)


def _is_common(sign: str) -> bool:
    """Tell whether texts of many languages use a character."""
    return " " < sign < "\u0250" or "\u2010" <= sign <= "\u2026" or "\uff01" <= sign <= "\uff5e" or _is_east_asian(sign)


def _is_east_asian(sign: str) -> bool:
    return "\u3000" <= sign <= "\u30ff" or sign in common_characters()


def is_misread(text: str) -> bool:
    """Tell whether a text was decoded with a wrong charset: re-encoded with that one, it is a text in another charset.

    No text of any language meets this by chance.
    """
    runs = "".join(BEYOND_ASCII.findall(text[: 20 * MAX_MISREAD_CHARACTERS]))[:MAX_MISREAD_CHARACTERS]
    if len(runs) < MIN_SIGN_CHARACTERS:
        return False
    if _is_sensible(runs.encode("gb18030", "ignore").decode("utf-8", "replace")):
        return True
    western_characters = _WESTERN_CHARACTER.findall(runs)
    if len(western_characters) < MIN_WESTERN_SHARE * len(runs):
        return False
    western = bytes(map(_WESTERN_BYTES.__getitem__, western_characters))
    if _is_sensible(western.decode("utf-8", "replace")):
        return True
    readings = [western.decode(charset, "replace") for charset in ("gb18030", "big5")]
    return any(_is_sensible(reading) and _has_words(reading) for reading in readings)


def _has_words(text: str) -> bool:
    """Tell whether Han text has words. A table of all characters in charset order has none."""
    frequent = sum(map(text.count, FREQUENT_CHARACTERS))
    return frequent >= MIN_FREQUENT_HAN_SHARE * len(text)


def _is_sensible(meant: str) -> bool:
    if meant.count("\N{REPLACEMENT CHARACTER}") > MAX_UNREAD_SHARE * len(meant):
        return False  # first, because it is quick, and true of nearly every text
    common = [sign for sign in meant if sign in common_characters()]
    return len(common) >= MIN_REREAD_SHARE * len(meant) and len(set(common)) >= MIN_REREAD_CHARACTERS


def _nonsense_share(text: str) -> float | None:
    """Return the share of pairs that form words, if it and all other signs mark the text as garbled."""
    sample = _sample_han(text)
    if len(sample) - 1 - 2 * sample.count("\n") < MIN_HAN_PAIRS:
        return None
    from crawler.extraction.fonts.plausibility import syllable_affinity, word_pair_share  # loads dictionaries

    share = word_pair_share(sample, MIN_WORD_PAIR_SHARE)
    if share is None or share >= MIN_WORD_PAIR_SHARE or syllable_affinity(sample) >= MIN_SYLLABLE_AFFINITY:
        return None
    return share if _is_oddly_marked(text, sample) or _has_words_reread(sample) else None


def _has_words_reread(sample: str) -> bool:
    """Tell whether bytes decoded as Big5 form words in GB 18030, or the other way round."""
    from crawler.extraction.fonts.plausibility import word_pair_share

    pairs = (("big5hkscs", "gb18030"), ("cp950", "gb18030"), ("gb18030", "big5hkscs"), ("cp932", "gb18030"))
    shares = (
        word_pair_share("\n".join(run.encode(read_as, "ignore").decode(meant, "replace") for run in sample.split("\n")))
        for read_as, meant in pairs
    )
    return any(share is not None and share >= MIN_REREAD_WORD_SHARE for share in shares)


def _is_oddly_marked(text: str, sample: str) -> bool:
    """Tell whether punctuation is scattered, or most characters are ones that hardly any text has."""
    marks, han = sum(map(text.count, MARKS)), sum(map(len, HAN_RUN.findall(text)))
    if MIN_MARK_SHARE <= marks / (marks + han) <= MAX_MARK_SHARE:
        return True
    characters = sample.replace("\n", "")
    return sum(sign not in common_characters() for sign in characters) > MAX_RARE_SHARE * len(characters)


def _sample_han(text: str) -> str:
    """Return samples of the Han text from all over it."""
    runs = "\n".join(HAN_RUN.findall(text))
    if len(runs) <= SAMPLE_STRETCHES * STRETCH_CHARACTERS:
        return runs
    step = (len(runs) - STRETCH_CHARACTERS) // (SAMPLE_STRETCHES - 1)
    return "\n".join(runs[number * step : number * step + STRETCH_CHARACTERS] for number in range(SAMPLE_STRETCHES))


def _is_one_character(text: str) -> bool:
    """Tell whether Han text is mostly one character: a map that gives the same one for many."""
    characters = "".join(HAN_RUN.findall(text))
    if len(characters) < MIN_REREAD_CHARACTERS:
        return False
    return Counter(characters).most_common(1)[0][1] > MAX_SAME_SHARE * len(characters)


def _is_shifted_latin(text: str) -> bool:
    letters = LATIN_LETTER.findall(text[: 20 * MAX_MISREAD_CHARACTERS])
    if len(letters) < MIN_LETTERS:
        return False
    letter, most = Counter(letters).most_common(1)[0]
    if letter.isascii() and most > MAX_LETTER_SHARE * len(letters):
        return False
    vowels = sum(letter in VOWELS for letter in letters)
    frequent = sum(letter in FREQUENT_LETTERS for letter in letters)
    return vowels < MIN_VOWEL_SHARE * len(letters) and frequent < MIN_FREQUENT_SHARE * len(letters)
