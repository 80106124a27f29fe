"""Declare tricks: what is done to a passage, in three strengths, and where that is described."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

Draw = random.Random
Apply = Callable[[str, int, Draw], str]
STRENGTHS = (0, 1, 2)  # light, middle, heavy
PERIODS = (6, 4, 2)  # every so many characters, by strength
SHARES = (0.1, 0.3, 0.6)  # share of the characters, by strength
HAN_PATTERN = re.compile(r"[\u3400-\u9fff]")
CLAUSE_PATTERN = re.compile(r"[^，。！？；：、\n]*[，。！？；：、\n]+|[^，。！？；：、\n]+$")
SENTENCE_PATTERN = re.compile(r"[^。！？\n]*[。！？\n]+[”’」』]?|[^。！？\n]+$")
COMMON_CHARACTERS = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动"


@dataclass(frozen=True, slots=True)
class Trick:
    """One way of changing a text. page: it makes the HTML of a page, which is read as pages are."""

    name: str
    family: str
    source: str
    apply: Apply
    page: bool = False


_TRICKS: dict[str, Trick] = {}


def trick(family: str, *, page: bool = False) -> Callable[[Apply], Apply]:
    """Enter a function into the catalogue. Its docstring says what it does, and after *Source:* where that is told."""

    def enter(apply: Apply) -> Apply:
        name = apply.__name__.strip("_")
        source = " ".join((apply.__doc__ or "").split()).partition("Source: ")[2]
        if name in _TRICKS or not source:
            raise ValueError(f"{name}: a trick has a name of its own and a source")
        _TRICKS[name] = Trick(name, family, source, apply, page)
        return apply

    return enter


def list_tricks() -> list[Trick]:
    """Return the whole catalogue, by families."""
    from benchmarks.tricks import encodings, insertions, layouts, omissions, order, pages, shapes, sounds, words

    families = (insertions, omissions, sounds, shapes, words, order, layouts, encodings, pages)
    places = {module.FAMILY: place for place, module in enumerate(families)}
    return sorted(_TRICKS.values(), key=lambda each: places[each.family])


def read_table(name: str) -> dict[str, str]:
    """Read a table of our own: entries `key=value` with white space between, lines that begin with # left out."""
    lines = files("benchmarks.tricks").joinpath("tables", f"{name}.txt").read_text(encoding="utf-8").splitlines()
    entries = [entry.partition("=") for line in lines if not line.startswith("#") for entry in line.split()]
    return {key: value for key, _, value in entries}


def is_han(character: str) -> bool:
    """Whether this is a Han character of the usual blocks."""
    return HAN_PATTERN.fullmatch(character) is not None


def change_every(text: str, period: int, change: Callable[[str], str]) -> str:
    """Change each Han character whose number among them is a multiple of the period."""
    count = 0
    changed = []
    for character in text:
        if is_han(character):
            count += 1
            if count % period == 0:
                changed.append(change(character))
                continue
        changed.append(character)
    return "".join(changed)


def change_some(text: str, share: float, draw: Draw, change: Callable[[str], str]) -> str:
    """Change this share of the Han characters, drawn by chance."""
    return "".join(
        change(character) if is_han(character) and draw.random() < share else character for character in text
    )


def split_clauses(text: str) -> list[str]:
    """The clauses, each with its punctuation."""
    return CLAUSE_PATTERN.findall(text)


def split_sentences(text: str) -> list[str]:
    """The sentences, each with its punctuation."""
    return SENTENCE_PATTERN.findall(text)


def split_words(text: str) -> list[str]:
    """The words as jieba cuts them."""
    import jieba

    jieba.setLogLevel(30)
    return list(jieba.cut(text))


def cut_pieces(text: str, length: int) -> Iterator[str]:
    """The text in pieces of this length."""
    return (text[place : place + length] for place in range(0, len(text), length))


def change_words(words: Sequence[str], share: float, draw: Draw, change: Callable[[str], str]) -> str:
    """Change this share of the words that hold a Han character."""
    return "".join(change(word) if HAN_PATTERN.search(word) and draw.random() < share else word for word in words)
