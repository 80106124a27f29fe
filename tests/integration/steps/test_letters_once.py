"""Whatever one task asks of a text, it is turned into letters once."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fingerprinter.alphabet import Initials
from fingerprinter.initials.to_initials import to_initials
from tests.support.way import capture, do_step, made_page, made_text, opened, store_work, work_through
from wenhen.clusters.service import rebuild_clusters
from wenhen.context.caches import LruCache
from wenhen.context.use_cases import MAX_CACHED_CHARACTERS
from wenhen.kit.progress import Owner, OwnerKind, Step, page_id
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import check_originality, find_copied_works

RIVER, SNOW, OTHER = made_text("river"), made_text("snow"), made_text("other")
BOTH = f"{RIVER}\n{SNOW}"
URL = "http://site.test/a"


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    """Two works, one that holds both, and a page that holds both: every kind of text that is compared."""
    with opened(servers, tmp_path) as product:
        store_work(product, "river", RIVER)
        store_work(product, "snow", SNOW)
        store_work(product, "both", BOTH)
        capture(product, URL, made_page("转载", BOTH))
        capture(product, "http://other.test/b", made_page("转载", BOTH + "\n" + OTHER[:60]))
        work_through(product)
        yield replace(product, recent_texts=LruCache(MAX_CACHED_CHARACTERS))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text was turned into letters."""
    counts: Counter[str] = Counter()

    def counting(text: str) -> Initials:
        counts[text] += 1
        return to_initials(text)

    monkeypatch.setattr("wenhen.fingerprints.reading.to_initials", counting)
    return counts


def test_a_scan_reads_the_text_once_and_no_work_whose_letters_this_machine_holds(app: App, reads: Counter[str]) -> None:
    text = f"{OTHER}\n{BOTH}"
    assert {one.work_id for one in find_copied_works(app, text)} == {"river", "snow", "both"}
    assert reads == {text: 1}


def test_the_question_for_originality_reads_the_text_once_also_where_nothing_is_found(
    app: App, reads: Counter[str]
) -> None:
    check_originality(app, OTHER)
    assert reads == {OTHER: 1}


def test_a_work_is_looked_up_among_pages_and_works_and_no_other_work_is_read(app: App, reads: Counter[str]) -> None:
    assert app.store.works.restart("both", Step.LOOK_UP)
    do_step(app, OwnerKind.WORK, "both", Step.LOOK_UP)
    assert {one.work_id for one in app.store.matches.of_copy(Owner.of_work("both"))} == {"river", "snow"}
    assert reads == {BOTH: 1}


@pytest.mark.parametrize("step", [Step.FINGERPRINT, Step.INDEX, Step.LOOK_UP, Step.ALIGN])
def test_no_step_of_a_page_reads_a_text_twice(app: App, reads: Counter[str], step: Step) -> None:
    id = page_id(URL)
    if step is Step.FINGERPRINT:
        app.store.fingerprints.replace(OwnerKind.PAGE, id, [])
    if step is Step.ALIGN:
        candidates = app.store.pages.candidates(id)
        assert len(candidates) == 3
    assert app.store.pages.restart(id, step)
    do_step(app, OwnerKind.PAGE, id, step)
    assert reads
    assert set(reads.values()) == {1}


def test_no_text_of_a_cluster_is_read_twice_in_one_task(app: App, reads: Counter[str]) -> None:
    most: dict[int, int] = {}

    def one_done(done: int, _total: int) -> None:
        most[done] = max(reads.values(), default=0)
        reads.clear()

    rebuild_clusters(app, one_done)
    assert max(most.values()) == 1
