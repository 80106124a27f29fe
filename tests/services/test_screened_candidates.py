"""Candidates that share nothing are left out by their letters; what is found is the same without that."""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.acting import by
from tests.support.way import made_text, work_through
from wenhen.cases.calibration import cached_calibration
from wenhen.context.caches import LruCache
from wenhen.fingerprints.model import NumberedWork
from wenhen.fingerprints.reading import TextReading
from wenhen.fingerprints.service import check_letters, rebuild_letters
from wenhen.matching.candidate_cache import CandidateScreen, find_works_with_cache
from wenhen.matching.candidates import find_candidate_works_of_all
from wenhen.matching.comparison import compare_with_candidates
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import find_copied_works
from wenhen.works.model import WorkDraft
from wenhen.works.service import put_work

NAMES = ("river", "snow", "wood", "hill")
TEXTS = {name: made_text(name) for name in NAMES}
# Short pieces of another work far from each other make it a candidate, and are no passage.
PIECES = "\n".join(TEXTS["hill"][place : place + 7] + made_text(f"far {place}", 60) for place in range(21, 401, 30))
PAGE = 4_096  # bytes of a page of the letter file
COPY = f"{made_text('before', 80)}\n{TEXTS['river'][100:400]}\n{PIECES}"


@pytest.fixture
def library(product: App) -> App:
    for name in NAMES:
        put_work(by(product), WorkDraft(id=name, title=name, text=TEXTS[name]))
    work_through(product)
    return product


def afresh(product: App) -> App:
    return replace(product, recent_texts=LruCache(1_000_000))


def fetched_works(product: App, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Ask for the sources of the copy, and return the works that were fetched for it."""
    asked: set[str] = set()
    works = type(product.store.fingerprints)
    before = works.works

    def note(self: object, numbers: Collection[int]) -> dict[int, NumberedWork]:
        found = before(self, numbers)  # type: ignore[arg-type]  # it is one of these
        asked.update(work.id for _, work, _ in found.values())
        return found

    monkeypatch.setattr(works, "works", note)
    find_copied_works(afresh(product), COPY)
    return asked


def test_letters_are_kept_when_works_are_fingerprinted(library: App) -> None:
    assert check_letters(library) == (len(NAMES), 0, 0)


def test_only_works_that_share_a_passage_are_fetched(library: App, monkeypatch: pytest.MonkeyPatch) -> None:
    ranked, _ = find_works_with_cache(afresh(library), TextReading(COPY), cached_calibration(library))
    assert len(ranked) > 1, "chance makes candidates, too"
    assert fetched_works(library, monkeypatch) == {"river"}


def test_the_same_is_found_without_the_letters_and_they_are_filled_in(library: App) -> None:
    assert library.work_letters is not None
    found = find_copied_works(afresh(library), COPY)
    assert [work.work_id for work in found] == ["river"]
    library.work_letters.clear()
    assert check_letters(library).missing == len(NAMES)
    assert find_copied_works(afresh(library), COPY) == found
    assert check_letters(library).there >= 1
    assert find_copied_works(replace(afresh(library), work_letters=None), COPY) == found
    assert rebuild_letters(library) == len(NAMES)
    assert check_letters(library) == (len(NAMES), 0, 0)


def remove(file: Path) -> None:
    file.unlink()


def tear(file: Path) -> None:
    """Overwrite all but the two pages that say how long the file is, as a crash of the machine may leave it."""
    torn = file.read_bytes()[: 2 * PAGE] + bytes(file.stat().st_size - 2 * PAGE)
    file.unlink()
    file.write_bytes(torn)


def cut_off(file: Path) -> None:
    short = file.read_bytes()[: 3 * PAGE]
    file.unlink()
    file.write_bytes(short)


@pytest.mark.parametrize("damage", [remove, tear, cut_off])
def test_the_same_is_found_by_who_has_mapped_a_file_that_is_harmed_and_by_who_starts_after(
    library: App, damage: Callable[[Path], None]
) -> None:
    letters = library.work_letters
    assert letters is not None
    found = find_copied_works(afresh(library), COPY)
    assert [work.work_id for work in found] == ["river"]
    damage(letters._path)
    assert find_copied_works(afresh(library), COPY) == found
    letters.seal()  # from here on as in a process that starts now
    assert find_copied_works(afresh(library), COPY) == found
    letters.seal()
    assert find_copied_works(afresh(library), COPY) == found
    assert check_letters(library).damaged == 0
    assert check_letters(library).there >= 1, "the letters are filled in again"


def test_a_work_with_a_short_passage_of_its_own_is_never_refused(library: App) -> None:
    reading = TextReading(COPY)
    ranked, cache = find_works_with_cache(afresh(library), reading, cached_calibration(library))
    refused = [one.owner_id for one in ranked if cache.screen.refuses(reading, one, thorough=True)]
    library.store.works.edit("snow", {"shortest_passage": 10})
    fresh = replace(afresh(library), short_works=type(library.short_works)())
    ranked, cache = find_works_with_cache(fresh, reading, cached_calibration(library))
    assert not any(cache.screen.refuses(reading, one, thorough=True) for one in ranked if one.owner_id == "snow")
    assert "river" not in refused


def test_texts_that_are_screened_together_are_refused_the_same_works_as_alone(library: App) -> None:
    readings = [TextReading(COPY), TextReading(f"{TEXTS['snow'][40:300]}\n{PIECES}")]
    looks = list(zip(readings, find_candidate_works_of_all(library, readings), strict=True))
    together = CandidateScreen(library, looks)
    passing = []
    for reading, ranked in looks:
        kept = [one.owner_id for one in together.select_candidates(reading, ranked)]
        alone = CandidateScreen(library, [(reading, ranked)])
        assert kept == [one.owner_id for one in alone.select_candidates(reading, ranked)]
        assert len(kept) < len(ranked)
        passing.append(kept)
    assert passing == [["river"], ["snow"]]


def test_a_removed_work_is_no_source(library: App) -> None:
    library.store.works.remove("river")
    fresh = afresh(library)
    reading = TextReading(COPY)
    ranked, cache = find_works_with_cache(fresh, reading, cached_calibration(fresh))
    assert not [one for one in compare_with_candidates(fresh, reading, ranked, cache) if one.work.id == "river"]
