"""Show the suspects of a suite to the matcher, as witnesses of what everybody writes."""

from collections.abc import Collection, Iterable

from fingerprinter.features.index_features import pack_text
from fingerprinter.features.model import Features, unpack_features
from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.page_text import PageOrigin, StoredPages, look_up_pages
from matcher.index.memory_index import MemoryIndex


def suspects_as_pages(texts: Iterable[str]) -> StoredPages:
    """Return these texts as stored pages, each on a host of its own."""
    documents: list[tuple[int, Features]] = []
    owners: list[int] = []
    for owner, text in enumerate(texts):
        for segment in pack_text(to_initials(text)):
            documents.append((len(owners), unpack_features(segment.positions, segment.values)))
            owners.append(owner)
    index = MemoryIndex()
    index.create(postings=sum(len(features) for _, features in documents))
    index.load(documents)
    index.publish()

    def find_origins(numbers: Collection[int]) -> dict[int, PageOrigin]:
        return {number: PageOrigin(str(owners[number]), str(owners[number])) for number in numbers}

    return StoredPages(look_up_pages(index, lambda: len(owners)), find_origins)
