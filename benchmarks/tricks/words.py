"""Tricks that choose other words."""

import re

from benchmarks.tricks.catalogue import (
    Draw,
    change_words,
    read_table,
    split_clauses,
    split_sentences,
    split_words,
    trick,
)

FAMILY = "words"
_SYNONYMS = read_table("synonyms")
SYNONYMS = _SYNONYMS | {other: word for word, other in _SYNONYMS.items()}
PEOPLE = {
    "他": "她",
    "她": "他",
    "父亲": "叔叔",
    "母亲": "姑姑",
    "爷爷": "周伯",
    "奶奶": "陈婆",
    "先生": "师傅",
    "老人": "老汉",
}
CONNECTORS = ("事实上，", "换句话说，", "与此同时，", "值得一提的是，", "总的来说，", "不难看出，")
SHARES = (0.3, 0.6, 1.0)


@trick(FAMILY)
def synonyms(text: str, level: int, draw: Draw) -> str:
    """Write synonyms from a table. Source: Wei and Zou, EDA, EMNLP 2019."""
    return change_words(split_words(text), SHARES[level], draw, lambda word: SYNONYMS.get(word, word))


@trick(FAMILY)
def other_people(text: str, level: int, draw: Draw) -> str:
    """Change who it is about. Source: entity replacement in obfuscated plagiarism, Alzahrani et al., 2012."""
    return change_words(split_words(text), SHARES[level], draw, lambda word: PEOPLE.get(word, word))


@trick(FAMILY)
def other_numbers(text: str, level: int, draw: Draw) -> str:
    """Change numbers. Source: entity replacement, Alzahrani et al., IEEE SMC-C 2012."""
    return re.sub(
        "[一二三四五六七八九]|[1-9]",
        lambda match: draw.choice("一二三四五六七八九") if draw.random() < SHARES[level] else match[0],
        text,
    )


@trick(FAMILY)
def connectors_before_sentences(text: str, level: int, draw: Draw) -> str:
    """Put set phrases before sentences. Source: text spinning, Zhang et al., DSpin, CIKM 2014."""
    return "".join(
        (draw.choice(CONNECTORS) if draw.random() < SHARES[level] else "") + sentence
        for sentence in split_sentences(text)
    )


@trick(FAMILY)
def particles_at_ends(text: str, level: int, draw: Draw) -> str:
    """Put particles at the ends of clauses. Source: style transfer to spoken language."""
    return "".join(
        re.sub(r"(?=[，。！？；])", draw.choice("呢啊吧啦"), clause, count=1)
        if draw.random() < SHARES[level]
        else clause
        for clause in split_clauses(text)
    )


@trick(FAMILY)
def classical_endings(text: str, level: int, draw: Draw) -> str:
    """Write classical particles for those of today. Source: style transfer to literary Chinese."""
    table = {"的": "之", "了": "矣", "是": "乃", "也": "亦", "都": "皆", "和": "与", "在": "于", "不": "弗"}
    return "".join(table.get(x, x) if draw.random() < SHARES[level] else x for x in text)


@trick(FAMILY)
def function_words_changed(text: str, level: int, draw: Draw) -> str:
    """Change function words. Source: stop-word n-grams, Stamatatos, JASIST 2011, which this defeats."""
    table = {"把": "将", "被": "给", "和": "跟", "很": "挺", "就": "便", "也": "还", "从": "自", "对": "向", "让": "使"}
    return "".join(table.get(x, x) if draw.random() < SHARES[level] else x for x in text)


@trick(FAMILY)
def words_swapped_in_place(text: str, level: int, draw: Draw) -> str:
    """Swap neighbouring words. Source: random swap, Wei and Zou, EDA, EMNLP 2019."""
    words = split_words(text)
    for place in range(len(words) - 1):
        if draw.random() < (0.05, 0.1, 0.2)[level] and words[place].isalnum() and words[place + 1].isalnum():
            words[place], words[place + 1] = words[place + 1], words[place]
    return "".join(words)


@trick(FAMILY)
def characters_swapped_in_place(text: str, level: int, draw: Draw) -> str:
    """Swap neighbouring characters. Source: swap operation of TextBugger, Li et al., NDSS 2019."""
    characters = list(text)
    place = 0
    while place < len(characters) - 1:
        if (
            draw.random() < (0.03, 0.08, 0.15)[level]
            and characters[place].isalnum()
            and characters[place + 1].isalnum()
        ):
            characters[place : place + 2] = characters[place + 1], characters[place]
            place += 1
        place += 1
    return "".join(characters)


@trick(FAMILY)
def words_replaced_by_chance(text: str, level: int, draw: Draw) -> str:
    """Write words of elsewhere in the text. Source: random obfuscation of PAN, Potthast et al., COLING 2010."""
    words = split_words(text)
    return change_words(words, (0.05, 0.12, 0.25)[level], draw, lambda _: draw.choice(words))


@trick(FAMILY)
def clauses_told_shorter(text: str, level: int, draw: Draw) -> str:
    """Cut the beginnings of clauses off. Source: summary obfuscation of PAN, Potthast et al., CLEF 2013."""
    return "".join(
        clause[len(clause) // 3 :] if draw.random() < (0.15, 0.3, 0.6)[level] else clause
        for clause in split_clauses(text)
    )


@trick(FAMILY)
def words_of_taiwan(text: str, level: int, draw: Draw) -> str:
    """Write Taiwan's words in traditional characters. Source: OpenCC, phrase conversion."""
    from wenhen.demo.articles import to_traditional

    table = {
        "公交": "公車",
        "电脑": "電腦",
        "软件": "軟體",
        "网络": "網路",
        "视频": "影片",
        "出租车": "計程車",
        "信息": "資訊",
    }
    words = change_words(split_words(text), SHARES[level], draw, lambda word: table.get(word, word))
    return to_traditional(words)
