"""Texts of our own with two rewritings and two texts on the same subject each, among texts that none of them has."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from matcher.index.memory_and_file_index import MemoryIndex
from matcher.paraphrase.plain_characters import Background, PlainText, learn_background, to_plain_text
from matcher.paraphrase.rare_word_retrieval import extract_rare_words, retrieve_documents
from matcher.paraphrase.suspicions import PlacedWork, Suspicion, find_suspicions, weigh_works
from wenhen.demo.articles import load_works


class Rewriting(NamedTuple):
    """A text of some genre, rewritten sentence by sentence and told anew, and two that others wrote on its subject.

    same_event: whether the second of those tells of the very same event or thing, with its names, from other sources.
    """

    id: str
    genre: str
    original: str
    sentences: str
    anew: str
    same: str
    another: str
    same_event: bool


def rewritings() -> list[Rewriting]:
    """All of ours."""
    lines = (Path(__file__).parent / "rewritings.jsonl").read_text(encoding="utf-8").splitlines()
    return [Rewriting(**json.loads(line)) for line in lines]


def few_rewritings() -> list[Rewriting]:
    """The first ones, each of another genre, for tests that need not ask them all."""
    return rewritings()[:8]


class RewrittenLibrary:
    """Works by name in memory, looked up as production does for the second look."""

    def __init__(self, works: dict[str, str]) -> None:
        self.names = list(works)
        self.works = {name: to_plain_text(text) for name, text in works.items()}
        self.index = MemoryIndex()
        self.index.create(postings=1)
        self.index.load(enumerate(self._words()))
        self.index.publish()
        self.background: Background = learn_background(self.works.values())

    def _words(self) -> Iterator:  # type: ignore[type-arg]  # of features
        return (extract_rare_words(text)[0] for text in self.works.values())

    def suspected(self, text: str) -> list[Suspicion]:
        """The works that a text may be told after."""
        page: PlainText = to_plain_text(text)
        [found] = retrieve_documents(self.index, extract_rare_words(page)[:1])
        names = [self.names[one.number] for one in found]
        pairs = [PlacedWork(name, self.works[name], one.page, one.work) for name, one in zip(names, found, strict=True)]
        return find_suspicions(page, weigh_works(page, pairs, self.background), self.background)


@cache
def rewritten_library(*, few: bool = False) -> RewrittenLibrary:
    """The originals, all or the few, among the sample works."""
    works = {title: draft.text for title, draft in load_works().items()}
    originals = few_rewritings() if few else rewritings()
    return RewrittenLibrary(works | {one.id: one.original for one in originals})
