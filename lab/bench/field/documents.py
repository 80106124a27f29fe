"""The documents that all tools are given, and which of them are copies of which."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

from lab.bench.align import edited
from lab.bench.generator import Writer

SEED = 61
TURN = 10  # of so many documents one is a copy of another, and one holds a passage of another
PASSAGE = 400  # characters
CHANGED = 0.05  # of the characters of a whole copy

Pair = tuple[int, int]  # numbers of two documents, the lesser one first


@dataclass(frozen=True, slots=True)
class Truth:
    """Which pairs were made: whole copies, and passages."""

    whole: frozenset[Pair]
    passages: frozenset[Pair]


def write_documents(count: int, file: Path) -> Truth:
    """So many generated texts of 1,000 characters and more, as JSON lines of {id, text}; ids are counted from 0."""
    texts = [work.text for work in Writer(SEED).works(count)]
    whole, passages = _copies(count, 0), _copies(count, 1)
    rng = random.Random(SEED)
    for copy, source in whole:
        texts[copy] = edited(texts[source], rng, CHANGED)
    for copy, source in passages:
        middle = len(texts[copy]) // 2
        texts[copy] = texts[copy][:middle] + texts[source][300 : 300 + PASSAGE] + texts[copy][middle:]
    with file.open("w", encoding="utf-8") as out:
        for number, text in enumerate(texts):
            out.write(json.dumps({"id": number, "text": text}, ensure_ascii=False) + "\n")
    return Truth(frozenset(whole), frozenset(passages))


def _copies(count: int, first: int) -> list[Pair]:
    """Each copy with its source, which stands two places on and serves no other."""
    return [(copy, copy + 2) for copy in range(first, count - 2, TURN)]
