"""Tricks that write a character in another shape, or write its parts."""

import unicodedata
from functools import cache

from benchmarks.tricks.catalogue import SHARES, Draw, change_some, read_table, trick
from wenhen.demo.articles import to_traditional

FAMILY = "shapes"
SPLITS = read_table("splits")
ALIKE = read_table("alike")
VARIANTS = read_table("variants")
SHINJITAI = read_table("shinjitai")
DIGITS = dict(zip("零一二三四五六七八九十百千万", "零壹贰叁肆伍陆柒捌玖拾佰仟萬", strict=True))


def _by_table(text: str, table: dict[str, str], share: float, draw: Draw) -> str:
    return change_some(text, share, draw, lambda character: table.get(character, character))


@cache
def _compatible_forms() -> dict[str, str]:
    """Characters of the compatibility blocks, by the character that each stands for."""
    forms: dict[str, str] = {}
    for code in (*range(0x2F00, 0x2FD6), *range(0xF900, 0xFB00), *range(0x2F800, 0x2FA20)):
        plain = unicodedata.normalize("NFKC", chr(code))
        if plain != chr(code) and len(plain) == 1:
            forms.setdefault(plain, chr(code))
    return forms


@trick(FAMILY)
def traditional_characters(text: str, level: int, draw: Draw) -> str:
    """Write traditional characters. Source: Li et al., TextShield, USENIX Security 2020."""
    changed = to_traditional(text)
    return "".join(
        new if draw.random() < (0.3, 0.6, 1.0)[level] else old for old, new in zip(text, changed, strict=True)
    )


@trick(FAMILY)
def variant_characters(text: str, level: int, draw: Draw) -> str:
    """Write variants of characters. Source: Unihan, kZVariant and kSemanticVariant."""
    return _by_table(text, VARIANTS, (0.3, 0.6, 1.0)[level], draw)


@trick(FAMILY)
def japanese_characters(text: str, level: int, draw: Draw) -> str:
    """Write the Japanese form of characters. Source: list of tōyō kanji, 1946."""
    return _by_table(text, SHINJITAI, (0.3, 0.6, 1.0)[level], draw)


@trick(FAMILY)
def compatibility_characters(text: str, level: int, draw: Draw) -> str:
    """Write radicals and compatibility ideographs. Source: Boucher et al., Bad Characters, IEEE S&P 2022."""
    return _by_table(text, _compatible_forms(), (0.3, 0.6, 1.0)[level], draw)


@trick(FAMILY)
def characters_that_look_alike(text: str, level: int, draw: Draw) -> str:
    """Write characters that look alike. Source: Su et al., RoCBert, ACL 2022."""
    return _by_table(text, ALIKE, (0.3, 0.6, 1.0)[level], draw)


@trick(FAMILY)
def split_characters(text: str, level: int, draw: Draw) -> str:
    """Write the parts of characters side by side. Source: Zhang et al., Argot, IJCAI 2020."""
    return _by_table(text, SPLITS, (0.3, 0.6, 1.0)[level], draw)


@trick(FAMILY)
def split_with_blanks(text: str, level: int, draw: Draw) -> str:
    """Write the parts of characters with a blank between. Source: Zhang et al., Argot, IJCAI 2020."""
    table = {whole: " ".join(parts) for whole, parts in SPLITS.items()}
    return _by_table(text, table, (0.3, 0.6, 1.0)[level], draw)


@trick(FAMILY)
def split_in_brackets(text: str, level: int, draw: Draw) -> str:
    """Write the parts of characters in brackets. Source: forums that spell out filtered words."""
    table = {whole: f"[{parts}]" for whole, parts in SPLITS.items()}
    return _by_table(text, table, (0.3, 0.6, 1.0)[level], draw)


@trick(FAMILY)
def ideographic_description(text: str, level: int, draw: Draw) -> str:
    """Write descriptions of characters (⿰女子). Source: Unicode Standard, ideographic description characters."""
    table = {whole: f"⿰{parts}" for whole, parts in SPLITS.items()}
    return _by_table(text, table, (0.3, 0.6, 1.0)[level], draw)


@trick(FAMILY)
def capital_numerals(text: str, level: int, draw: Draw) -> str:
    """Write the numerals of banks. Source: GB/T 15835."""
    return _by_table(text, DIGITS, (0.3, 0.6, 1.0)[level], draw)


@trick(FAMILY)
def arabic_numerals(text: str, level: int, draw: Draw) -> str:
    """Write digits for numerals. Source: GB/T 15835."""
    return _by_table(text, dict(zip("一二三四五六七八九", "123456789", strict=True)), (0.3, 0.6, 1.0)[level], draw)


@trick(FAMILY)
def narrow_punctuation(text: str, level: int, draw: Draw) -> str:
    """Write the punctuation of ASCII. Source: Unicode Standard, halfwidth and fullwidth forms."""
    table = dict(zip("，。！？；：（）", ",.!?;:()", strict=True))
    share = (0.3, 0.6, 1.0)[level]
    return "".join(table.get(character, character) if draw.random() < share else character for character in text)


@trick(FAMILY)
def martian_writing(text: str, level: int, draw: Draw) -> str:
    """Write Martian (火星文): variants, signs and letters mixed. Source: Su et al., RoCBert, ACL 2022."""
    table = {
        "的": "d",
        "了": "ㄌ",
        "我": "莪",
        "你": "伱",
        "是": "4",
        "不": "卟",
        "在": "茬",
        "有": "冇",
        "人": "亽",
        "天": "兲",
    }
    return _by_table(text, {**VARIANTS, **table}, (0.3, 0.6, 1.0)[level], draw)


@trick(FAMILY)
def enclosed_numerals(text: str, level: int, draw: Draw) -> str:
    """Write numerals in circles. Source: Unicode Standard, enclosed CJK letters."""
    return _by_table(text, dict(zip("一二三四五六七八九十", "㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉", strict=True)), SHARES[level], draw)


@trick(FAMILY)
def struck_through_shapes(text: str, level: int, draw: Draw) -> str:
    """Write characters with a stroke added by a combining mark. Source: Eger et al., VIPER, NAACL 2019."""
    return change_some(text, (0.3, 0.6, 1.0)[level], draw, lambda character: f"{character}\u0336")
