"""A library in memory, and what of it a page copies: the way of production without its servers."""

from collections.abc import Iterable, Mapping
from functools import partial

from fingerprinter.alphabet import Initials
from fingerprinter.features.index_features import pack_text
from fingerprinter.features.model import unpack_features
from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.align_pair import Comparison, align_pair
from matcher.index.memory_and_file_index import MemoryIndex
from matcher.retrieval.candidates import MAX_THOROUGH_CANDIDATES, find_candidates, stop_feature_share
from matcher.retrieval.inserted_adverts import places_without_furniture
from matcher.retrieval.ranking import StopFeatureShares
from wenhen.cases.opening_rule import judge_comparisons
from wenhen.comparison.detection import suspects_as_pages


class Library:
    """Works by name, indexed as production indexes them. pages: stored pages, each on a host of its own."""

    def __init__(self, works: Mapping[str, str], pages: Iterable[str] = ()) -> None:
        self.texts = works
        self._pages = suspects_as_pages(pages)
        self._letters = {name: to_initials(text) for name, text in works.items()}
        self._owners: list[str] = []
        self._index = MemoryIndex()
        self._index.create(postings=1)
        documents = []
        for name, letters in self._letters.items():
            for segment in pack_text(letters):
                documents.append((len(self._owners), unpack_features(segment.positions, segment.values)))
                self._owners.append(name)
        self._index.load(documents)
        self._index.publish()

    def accused(self, page: str, *, beside_pages: bool = True) -> dict[str, Comparison]:
        """The works that a page is accused of copying from. beside_pages: whether what many pages share weighs less."""
        letters: Initials = to_initials(page)
        ranked = find_candidates(letters, self._index, documents=len(self._owners))
        names = dict.fromkeys(self._owners[one.number] for one in ranked)
        kept = places_without_furniture(letters.codes)
        compared = {
            name: align_pair(
                page,
                letters,
                self.texts[name],
                self._letters[name],
                thorough=place < MAX_THOROUGH_CANDIDATES,
                kept=kept,
            )
            for place, name in enumerate(names)
        }
        found = {name: one for name, one in compared.items() if one}
        formulaic = max((one.formulaic for one in ranked), default=0.0)
        of_work = partial(stop_feature_share, index=self._index, documents=len(self._owners))
        verdicts = judge_comparisons(
            list(found.values()),
            0.0,
            StopFeatureShares(formulaic, of_work),
            pages=self._pages if beside_pages else None,
        )
        return {name: one.comparison for name, one in zip(found, verdicts, strict=True) if one.accuses}
