"""Tricks that leave characters out, or put something in their place."""

from benchmarks.tricks.catalogue import (
    COMMON_CHARACTERS,
    PERIODS,
    SHARES,
    Draw,
    change_every,
    change_some,
    split_clauses,
    split_words,
    trick,
)

FAMILY = "omissions"
FUNCTION_CHARACTERS = "的了着过地得在是就也都很把被与和"


@trick(FAMILY)
def left_out_regularly(text: str, level: int, draw: Draw) -> str:
    """Leave a character out at a steady pace. Source: random deletion, Wei and Zou, EDA, EMNLP 2019."""
    return change_every(text, PERIODS[level], lambda _: "")


@trick(FAMILY)
def left_out_by_chance(text: str, level: int, draw: Draw) -> str:
    """Leave characters out by chance. Source: Potthast et al., COLING 2010."""
    return change_some(text, SHARES[level], draw, lambda _: "")


@trick(FAMILY)
def starred_regularly(text: str, level: int, draw: Draw) -> str:
    """Write an asterisk for a character at a steady pace. Source: word filters of forums."""
    return change_every(text, PERIODS[level], lambda _: "*")


@trick(FAMILY)
def starred_by_chance(text: str, level: int, draw: Draw) -> str:
    """Write an asterisk for characters by chance. Source: word filters of forums."""
    return change_some(text, SHARES[level], draw, lambda _: "*")


@trick(FAMILY)
def boxed_regularly(text: str, level: int, draw: Draw) -> str:
    """Write a box for a character, as where a font lacks it. Source: Unicode Standard, U+25A1."""
    return change_every(text, PERIODS[level], lambda _: "□")


@trick(FAMILY)
def crossed_regularly(text: str, level: int, draw: Draw) -> str:
    """Write a cross for a character. Source: expurgated editions."""
    return change_every(text, PERIODS[level], lambda _: "×")


@trick(FAMILY)
def replaced_regularly(text: str, level: int, draw: Draw) -> str:
    """Write another character at a steady pace. Source: character substitution, Potthast et al., COLING 2010."""
    return change_every(text, PERIODS[level], lambda _: draw.choice(COMMON_CHARACTERS))


@trick(FAMILY)
def replaced_by_chance(text: str, level: int, draw: Draw) -> str:
    """Write another character by chance. Source: character substitution, Potthast et al., COLING 2010."""
    return change_some(text, SHARES[level] / 2, draw, lambda _: draw.choice(COMMON_CHARACTERS))


@trick(FAMILY)
def unknown_character_signs(text: str, level: int, draw: Draw) -> str:
    """Write the replacement character, as broken decoders do. Source: Unicode Standard, U+FFFD."""
    return change_some(text, SHARES[level] / 2, draw, lambda _: "\ufffd")


@trick(FAMILY)
def function_words_left_out(text: str, level: int, draw: Draw) -> str:
    """Leave function words out. Source: stop-word removal in text spinning, Zhang et al., CIKM 2014."""
    share = (0.3, 0.6, 1.0)[level]
    return "".join(
        "" if character in FUNCTION_CHARACTERS and draw.random() < share else character for character in text
    )


@trick(FAMILY)
def first_characters_left_out(text: str, level: int, draw: Draw) -> str:
    """Leave the first character of clauses out, as a margin cut off. Source: OCR of cropped pages."""
    share = (0.3, 0.6, 1.0)[level]
    return "".join(clause[draw.random() < share :] for clause in split_clauses(text))


@trick(FAMILY)
def words_left_out(text: str, level: int, draw: Draw) -> str:
    """Leave words out by chance. Source: random deletion, Wei and Zou, EDA, EMNLP 2019."""
    share = (0.05, 0.1, 0.2)[level]
    return "".join(word for word in split_words(text) if draw.random() >= share)


@trick(FAMILY)
def punctuation_left_out(text: str, level: int, draw: Draw) -> str:
    """Leave punctuation out. Source: punctuation as noise, Karimi et al., AEDA, EMNLP Findings 2021."""
    share = (0.3, 0.6, 1.0)[level]
    return "".join(character for character in text if character.isalnum() or draw.random() >= share)


@trick(FAMILY)
def clauses_left_out(text: str, level: int, draw: Draw) -> str:
    """Leave clauses out. Source: summary obfuscation of PAN, Potthast et al., CLEF 2013."""
    share = (0.1, 0.25, 0.5)[level]
    return "".join(clause for clause in split_clauses(text) if draw.random() >= share)
