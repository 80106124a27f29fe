"""The sentences by which a work is found again: of rare words, and as long as engines search for."""

import re
from collections.abc import Sequence

from fingerprinter.schemes.words.cleaning import clean
from fingerprinter.schemes.words.weights import WordWeights, default_weights
from fingerprinter.schemes.words.words import cut, telling

SHORTEST, LONGEST = 10, 38  # characters of a question; engines cut longer ones
_END = re.compile(r"[。！？!?；;…\n\r]+")
_CLAUSE = re.compile(r"[^，、：,:]+[，、：,:]?")
_QUOTES = re.compile(r"[\s\"“”‘’「」『』《》（）()【】\[\]—]+")


def distinctive(text: str, weights: WordWeights | None = None) -> list[str]:
    """What to ask for, the most telling first: from each sentence its first clauses, at most `LONGEST` characters.

    Telling is the sum of the IDF of its different words, stop words left out. Equal ones come once.
    """
    worth = weights or default_weights()
    found = dict.fromkeys(one for one in map(_question, _END.split(clean(text))) if len(one) >= SHORTEST)
    scores = {one: sum(worth[word] for word in sorted(set(telling(cut(one))))) for one in found}
    return sorted(found, key=lambda one: -scores[one])


def bare(text: str) -> str:
    """The text as questions are made of it: without white space, quotation marks, brackets and dashes."""
    return _QUOTES.sub("", text)


def spread(questions: Sequence[str], text: str, count: int) -> list[str]:
    """Of questions, the best first, `count` from different stretches of the text; if need be, several from one.

    Whoever copies a part of a work copies one of its stretches.
    """
    said = bare(text)
    taken: dict[int, str] = {}
    for one in questions:
        stretch = max(0, said.find(one)) * count // max(1, len(said))
        taken.setdefault(stretch, one)
        if len(taken) == count:
            break
    rest = [one for one in questions if one not in taken.values()]
    return [*taken.values(), *rest][:count]


def _question(sentence: str) -> str:
    made = ""
    for clause in _CLAUSE.findall(bare(sentence)):
        if made and len(made) + len(clause) > LONGEST + 1:
            break
        made += clause
    return made[:LONGEST].rstrip("，、：,:")
