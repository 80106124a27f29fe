"""A library in memory, and what of it a page copies: the way of production without its servers."""

from collections.abc import Mapping
from functools import partial

from fingerprinter.features.segments import pack, unpack
from fingerprinter.letters import Letters
from fingerprinter.normalize.read_letters import read_letters
from matcher.alignment.recurring_insertions import without_furniture
from matcher.candidates import candidates, formulaic_share
from matcher.compare import THOROUGHLY, Comparison, compare
from matcher.index.memory import MemoryIndex
from matcher.ranking.formulae import Formulae
from pipeline.matching.when_a_case_opens import judged


class Library:
    """Works by name, indexed as production indexes them."""

    def __init__(self, works: Mapping[str, str]) -> None:
        self.texts = works
        self._letters = {name: read_letters(text) for name, text in works.items()}
        self._owners: list[str] = []
        self._index = MemoryIndex()
        self._index.create(postings=1)
        documents = []
        for name, letters in self._letters.items():
            for segment in pack(letters):
                documents.append((len(self._owners), unpack(segment.positions, segment.values)))
                self._owners.append(name)
        self._index.load(documents)
        self._index.publish()

    def accused(self, page: str) -> dict[str, Comparison]:
        """The works that a page is accused of copying from."""
        letters: Letters = read_letters(page)
        ranked = candidates(letters, self._index, documents=len(self._owners))
        names = dict.fromkeys(self._owners[one.number] for one in ranked)
        kept = without_furniture(letters.codes)
        compared = {
            name: compare(page, letters, self.texts[name], self._letters[name], thorough=place < THOROUGHLY, kept=kept)
            for place, name in enumerate(names)
        }
        found = {name: one for name, one in compared.items() if one}
        formulaic = max((one.formulaic for one in ranked), default=0.0)
        of_work = partial(formulaic_share, index=self._index, documents=len(self._owners))
        verdicts = judged(list(found.values()), 0.0, Formulae(formulaic, of_work))
        return {name: one.comparison for name, one in zip(found, verdicts, strict=True) if one.accuses}
