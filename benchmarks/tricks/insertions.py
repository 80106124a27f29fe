"""Tricks that put something in between the characters of a copy."""

from collections.abc import Callable
from itertools import count, cycle

from benchmarks.tricks.catalogue import (
    COMMON_CHARACTERS,
    PERIODS,
    SHARES,
    Draw,
    change_every,
    change_some,
    split_clauses,
    split_sentences,
    split_words,
    trick,
)

FAMILY = "insertions"
WATERMARK = "本站正版首发"
ENGLISH = ("the", "of", "house", "river", "light", "seven", "paper", "window", "slowly", "garden", "under", "blue")
ADVERTS = ("本章由青苇书屋整理发布，", "记住我们的网址不迷路，", "更多精彩请关注公众号，", "手机用户请访问移动版，")


def _put_behind(text: str, level: int, inserted: Callable[[], str]) -> str:
    return change_every(text, PERIODS[level], lambda character: character + inserted())


@trick(FAMILY)
def particle_between(text: str, level: int, draw: Draw) -> str:
    """Put 的 in at a steady pace. Source: random insertion, Wei and Zou, EDA, EMNLP 2019."""
    return _put_behind(text, level, lambda: "的")


@trick(FAMILY)
def common_character_between(text: str, level: int, draw: Draw) -> str:
    """Put a common character in at a steady pace. Source: Wei and Zou, EDA, EMNLP 2019."""
    return _put_behind(text, level, lambda: draw.choice(COMMON_CHARACTERS))


@trick(FAMILY)
def common_character_by_chance(text: str, level: int, draw: Draw) -> str:
    """Put a common character in by chance. Source: random obfuscation of PAN, Potthast et al., COLING 2010."""
    return change_some(text, SHARES[level], draw, lambda character: character + draw.choice(COMMON_CHARACTERS))


@trick(FAMILY)
def watermark_between(text: str, level: int, draw: Draw) -> str:
    """Put the characters of a watermark in, one after the other. Source: watermark scripts of reading sites."""
    characters = cycle(WATERMARK)
    return _put_behind(text, level, lambda: next(characters))


@trick(FAMILY)
def two_characters_between(text: str, level: int, draw: Draw) -> str:
    """Put two characters in at a steady pace. Source: Wei and Zou, EDA, EMNLP 2019."""
    return _put_behind(text, level, lambda: draw.choice(COMMON_CHARACTERS) + draw.choice(COMMON_CHARACTERS))


@trick(FAMILY)
def own_character_between(text: str, level: int, draw: Draw) -> str:
    """Put a character of the text itself in. Source: random insertion, Wei and Zou, EDA, EMNLP 2019."""
    return _put_behind(text, level, lambda: draw.choice(text))


@trick(FAMILY)
def doubled_character(text: str, level: int, draw: Draw) -> str:
    """Write a character twice at a steady pace. Source: repeat operation of TextBugger, Li et al., NDSS 2019."""
    return change_every(text, PERIODS[level], lambda character: character * 2)


@trick(FAMILY)
def latin_letter_between(text: str, level: int, draw: Draw) -> str:
    """Put a Latin letter in. Source: character insertion of TextBugger, Li et al., NDSS 2019."""
    return _put_behind(text, level, lambda: draw.choice("abcdefghijklmnopqrstuvwxyz"))


@trick(FAMILY)
def digit_between(text: str, level: int, draw: Draw) -> str:
    """Put a digit in. Source: character insertion of TextBugger, Li et al., NDSS 2019."""
    return _put_behind(text, level, lambda: draw.choice("0123456789"))


@trick(FAMILY)
def comma_between(text: str, level: int, draw: Draw) -> str:
    """Put a comma in. Source: punctuation insertion, Karimi et al., AEDA, EMNLP Findings 2021."""
    return _put_behind(text, level, lambda: "，")


@trick(FAMILY)
def sign_between(text: str, level: int, draw: Draw) -> str:
    """Put a sign in. Source: Karimi et al., AEDA, EMNLP Findings 2021."""
    return _put_behind(text, level, lambda: draw.choice("*#~|/^_=+-"))


@trick(FAMILY)
def emoji_between(text: str, level: int, draw: Draw) -> str:
    """Put an emoji in. Source: emoji noise in Chinese spam, Yeh et al., TOCP, LREC 2022."""
    return _put_behind(text, level, lambda: draw.choice("🌸⭐🔥💧🍀🎈"))


@trick(FAMILY)
def blank_between(text: str, level: int, draw: Draw) -> str:
    """Put a blank in. Source: word splitting, TextBugger, Li et al., NDSS 2019."""
    return _put_behind(text, level, lambda: " ")


@trick(FAMILY)
def wide_blank_between(text: str, level: int, draw: Draw) -> str:
    """Put an ideographic space in. Source: Unicode Standard, U+3000."""
    return _put_behind(text, level, lambda: "\u3000")


@trick(FAMILY)
def zero_width_space_between(text: str, level: int, draw: Draw) -> str:
    """Put a space of no width in. Source: Boucher et al., Bad Characters, IEEE S&P 2022."""
    return _put_behind(text, level, lambda: "\u200b")


@trick(FAMILY)
def joiners_between(text: str, level: int, draw: Draw) -> str:
    """Put joiners in. Source: Boucher et al., Bad Characters, IEEE S&P 2022."""
    return _put_behind(text, level, lambda: draw.choice("\u200c\u200d\u2060\ufeff"))


@trick(FAMILY)
def soft_hyphen_between(text: str, level: int, draw: Draw) -> str:
    """Put a soft hyphen in. Source: Unicode Standard, default ignorable code points."""
    return _put_behind(text, level, lambda: "\u00ad")


@trick(FAMILY)
def variation_selector_between(text: str, level: int, draw: Draw) -> str:
    """Put a variation selector in. Source: Unicode Technical Standard 37."""
    return _put_behind(text, level, lambda: "\ufe00")


@trick(FAMILY)
def ideographic_variation_between(text: str, level: int, draw: Draw) -> str:
    """Put a selector of ideographic variants in. Source: Unicode Technical Standard 37."""
    return _put_behind(text, level, lambda: chr(0xE0100 + draw.randrange(16)))


@trick(FAMILY)
def combining_mark_between(text: str, level: int, draw: Draw) -> str:
    """Strike characters through by combining marks. Source: Eger et al., VIPER, NAACL 2019."""
    return _put_behind(text, level, lambda: draw.choice("\u0334\u0335\u0336\u0338"))


@trick(FAMILY)
def tag_character_between(text: str, level: int, draw: Draw) -> str:
    """Put a tag character in. Source: Unicode Standard, tag characters U+E0020 to U+E007F."""
    return _put_behind(text, level, lambda: chr(0xE0061 + draw.randrange(26)))


@trick(FAMILY)
def direction_mark_between(text: str, level: int, draw: Draw) -> str:
    """Put marks of direction in. Source: Boucher and Anderson, Trojan Source, USENIX Security 2023."""
    return _put_behind(text, level, lambda: draw.choice("\u200e\u200f\u061c"))


@trick(FAMILY)
def filler_between(text: str, level: int, draw: Draw) -> str:
    """Put letters that are drawn as nothing in. Source: Unicode Standard, U+3164, U+2800, U+180E."""
    return _put_behind(text, level, lambda: draw.choice("\u3164\u2800\u180e"))


@trick(FAMILY)
def control_character_between(text: str, level: int, draw: Draw) -> str:
    """Put control characters in. Source: deletion attacks, Boucher et al., IEEE S&P 2022."""
    return _put_behind(text, level, lambda: draw.choice("\x07\x0b\x1f\x7f"))


@trick(FAMILY)
def advert_between_sentences(text: str, level: int, draw: Draw) -> str:
    """Put an advert behind sentences. Source: mirror sites of web novels."""
    share = (0.2, 0.5, 1.0)[level]
    return "".join(
        sentence + (draw.choice(ADVERTS) if draw.random() < share else "") for sentence in split_sentences(text)
    )


@trick(FAMILY)
def address_between_clauses(text: str, level: int, draw: Draw) -> str:
    """Put the site's address behind clauses. Source: mirror sites of web novels."""
    share = (0.2, 0.5, 1.0)[level]
    return "".join(
        clause + ("ｗｗｗ．ｑｉｎｇｗｅｉ．ｔｅｓｔ" if draw.random() < share else "") for clause in split_clauses(text)
    )


@trick(FAMILY)
def english_word_behind_words(text: str, level: int, draw: Draw) -> str:
    """Put an English word behind words. Source: code mixing, Das et al., Multilingual Code-mixing, 2022."""
    share = (0.2, 0.5, 1.0)[level]
    return "".join(f"{word} {draw.choice(ENGLISH)} " if draw.random() < share else word for word in split_words(text))


@trick(FAMILY)
def running_number_behind_characters(text: str, level: int, draw: Draw) -> str:
    """Count characters in the text. Source: anti-copy scripts that number what is selected."""
    numbers = count(1)
    return _put_behind(text, level, lambda: str(next(numbers)))


@trick(FAMILY)
def running_number_behind_clauses(text: str, level: int, draw: Draw) -> str:
    """Count clauses in brackets. Source: line numbers of OCR and subtitles."""
    period = (4, 2, 1)[level]
    return "".join(
        f"{clause}[{number}]" if number % period == 0 else clause
        for number, clause in enumerate(split_clauses(text), 1)
    )


@trick(FAMILY)
def remark_in_brackets(text: str, level: int, draw: Draw) -> str:
    """Put remarks in brackets behind clauses. Source: bullet comments that are printed into a text."""
    share = (0.2, 0.5, 1.0)[level]
    remarks = ("（笑）", "（此处有误）", "（读者留言：好看）", "【注】", "（下同）")
    return "".join(clause + (draw.choice(remarks) if draw.random() < share else "") for clause in split_clauses(text))
