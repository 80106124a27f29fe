"""How large an index is: asked each time while it is small, else once a second."""

from typing import Any

import pytest

from wenhen.kit.progress import OwnerKind
from wenhen.product.caches import INDEX_SIZE_SECONDS, LARGE_INDEX_DOCUMENTS, KnownSizes


class Library:
    """Gives out numbers of fingerprints, and counts how often it is asked how many."""

    def __init__(self, works: int) -> None:
        self.works = works
        self.asked = 0

    def count_reserved(self, _: OwnerKind) -> int:
        self.asked += 1
        return self.works


@pytest.mark.parametrize("works", [0, 1, LARGE_INDEX_DOCUMENTS - 1])
def test_a_small_library_is_asked_each_time(works: int) -> None:
    library: Any = Library(works)
    sizes = KnownSizes(lambda: 7.0)
    assert sizes.of(library, OwnerKind.WORK) == works
    library.works += 1
    assert sizes.of(library, OwnerKind.WORK) == works + 1


def test_a_large_one_is_asked_again_after_a_second() -> None:
    library: Any = Library(LARGE_INDEX_DOCUMENTS)
    now = [7.0]
    sizes = KnownSizes(lambda: now[0])
    sizes.of(library, OwnerKind.WORK)
    library.works += 5
    assert (sizes.of(library, OwnerKind.WORK), library.asked) == (LARGE_INDEX_DOCUMENTS, 1)
    now[0] += INDEX_SIZE_SECONDS
    assert (sizes.of(library, OwnerKind.WORK), library.asked) == (LARGE_INDEX_DOCUMENTS + 5, 2)


def test_works_and_pages_are_known_apart() -> None:
    library: Any = Library(LARGE_INDEX_DOCUMENTS)
    sizes = KnownSizes()
    sizes.of(library, OwnerKind.WORK)
    library.works = 3
    assert sizes.of(library, OwnerKind.PAGE) == 3
