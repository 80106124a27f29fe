"""Load the choices that a reader does not see: forms of words, synonyms, commas behind openings, ends of clauses."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class MarkKind(StrEnum):
    """What a marked place changes."""

    FORMS = "forms"  # two written forms of one word
    WORDS = "words"  # two words of one sense
    PUNCTUATION = "punctuation"


class Choice(NamedTuple):
    """What may stand for a word, and beside which words it may not."""

    other: str
    kind: MarkKind
    not_before: frozenset[str]  # words that must not stand before it
    not_behind: frozenset[str]  # words that must not follow it
    between_words: bool  # only between words of two characters and more


@dataclass(frozen=True, slots=True)
class Choices:
    """words: by the word that stands in the text. openings and subjects: of sentences and clauses."""

    words: dict[str, Choice]
    openings: frozenset[str]
    subjects: frozenset[str]


@cache
def load_choices() -> Choices:
    """Read the table. The first entry of a word counts."""
    words: dict[str, Choice] = {}
    lists: dict[str, set[str]] = {"openings": set(), "subjects": set()}
    for section, entry in _read_entries():
        if section in lists:
            lists[section].add(entry)
            continue
        for word, choice in _parse_entry(entry, MarkKind(section)):
            words.setdefault(word, choice)
    return Choices(words, frozenset(lists["openings"]), frozenset(lists["subjects"]))


def _read_entries() -> Iterator[tuple[str, str]]:
    section = ""
    for line in files("matcher.marking").joinpath("choices.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[] ")
        elif not line.startswith("#"):
            for entry in line.split():
                yield section, entry


def _parse_entry(entry: str, kind: MarkKind) -> Iterator[tuple[str, Choice]]:
    """Read `a=b` or `a>b` with its conditions.

    >>> [(word, choice.other) for word, choice in _parse_entry("早晨=早上-next:好", MarkKind.WORDS)]
    [('早晨', '早上'), ('早上', '早晨')]
    """
    words, *conditions = entry.split("-")
    values = dict(condition.partition(":")[::2] for condition in conditions)
    before, behind = (frozenset(filter(None, values.get(name, "").split(","))) for name in ("before", "next"))
    first, both_ways, second = words.partition("=")
    if not both_ways:
        first, _, second = words.partition(">")
    yield first, Choice(second, kind, before, behind, "two" in values)
    if both_ways:
        yield second, Choice(first, kind, before, behind, "two" in values)
