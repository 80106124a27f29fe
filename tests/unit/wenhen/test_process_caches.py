"""What a process caches: how large an index is, and which works its numbers belong to."""

from collections.abc import Collection
from typing import Any

import pytest

from wenhen.context.caches import INDEX_SIZE_SECONDS, LARGE_INDEX_DOCUMENTS, KnownNames, KnownSizes
from wenhen.kit.progress import OwnerKind


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


class Numbers:
    """Knows the works of numbers, and notes which numbers it is asked for."""

    def __init__(self, names: dict[int, tuple[str, int]]) -> None:
        self.known = names
        self.asked: list[list[int]] = []

    def names(self, numbers: Collection[int]) -> dict[int, tuple[str, int]]:
        self.asked.append(list(numbers))
        return {number: self.known[number] for number in numbers if number in self.known}


def test_a_number_is_asked_for_once() -> None:
    library = Numbers({1: ("药", 1), 2: ("故乡", 1)})
    names = KnownNames()
    assert names.of([1], library.names) == {1: ("药", 1)}
    assert names.of([1, 2], library.names) == {1: ("药", 1), 2: ("故乡", 1)}
    assert library.asked == [[1], [2]]


def test_a_number_without_a_work_is_asked_for_again() -> None:
    library = Numbers({})
    names = KnownNames()
    assert names.of([1], library.names) == {}
    library.known[1] = ("药", 1)
    assert names.of([1], library.names) == {1: ("药", 1)}


def test_of_two_versions_of_a_work_the_later_one_stands() -> None:
    """The number of the earlier version retired since it was cached. All numbers of the later version stay."""
    library = Numbers({1: ("药", 1)})
    names = KnownNames()
    names.of([1], library.names)
    library.known |= {5: ("药", 2), 6: ("药", 2)}
    assert names.of([1, 5, 6], library.names) == {5: ("药", 2), 6: ("药", 2)}
