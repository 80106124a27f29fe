"""Common texts explain what pages share with works, on real servers: leads go and come back with them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from matcher.model import CommonReason
from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.common.service import add_common_texts, find_common_id, remove_common_text
from wenhen.comparison.detection import detect_copies, load_suite_library
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.progress import Owner, OwnerKind
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.steps.runner import REMATCH_PAUSE
from wenhen.texts.source_lookup import Nearness, find_copied_works, find_near_works
from wenhen.works.model import WorkDraft

LINES = [made_text(f"line {number}", 60).replace("\n", "") for number in range(6)]
NOTES = [made_text(f"note {number}", 80).replace("\n", "") for number in range(6)]
CLASSIC = "\n".join(LINES)
COMMENTARY = "\n".join(line + "\n" + note for line, note in zip(LINES, NOTES, strict=True))
QUOTING = "\n".join(line + "\n" + made_text(f"own {line[:3]}", 80) for line in LINES)
QUOTING_URL, COPYING_URL = "http://a.test/quoting", "http://a.test/copying"


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    """A commentary, a page that quotes the same classic, and a page that copies the commentary."""
    with opened(servers, tmp_path) as product:
        store_work(product, "commentary", COMMENTARY)
        capture(product, QUOTING_URL, made_page("引经", QUOTING))
        capture(product, COPYING_URL, made_page("转载", COMMENTARY))
        work_through(product)
        yield product


def add(app: App, text: str = CLASSIC, title: str = "《川上》") -> str:
    done = add_common_texts(by(app), title, [WorkDraft(id="classic", title=title, text=text, origin="classic.txt")])
    settle(app)
    return [*done.new, *done.changed, *done.unchanged][0]


def settle(app: App) -> None:
    """Do all that is due, and what waits a while."""
    work_through(app)
    later = app.now() + REMATCH_PAUSE
    work_through(replace(app, now=lambda: later))


def test_leads_that_rest_on_a_common_text_go_when_it_comes_and_are_back_when_it_is_removed(app: App) -> None:
    both = {(QUOTING_URL, "commentary"), (COPYING_URL, "commentary")}
    assert pairs(app, present=True) == both
    id = add(app)
    assert pairs(app, present=True) == {(COPYING_URL, "commentary")}
    remove_common_text(by(app), id)
    settle(app)
    assert pairs(app, present=True) == both
    with pytest.raises(NotFound):
        remove_common_text(by(app), id)


def test_a_case_counts_what_the_work_has_beyond_it_and_names_it(app: App) -> None:
    add(app)
    [case] = [one for one in app.store.cases.each() if one.page_url == COPYING_URL]
    assert "common_text:川上" in case.match.reasons
    grey = [one for one in case.match.common if one.reason is CommonReason.TEXT]
    assert {(one.text_id, one.title) for one in grey} == {("common:classic", "《川上》")}
    page, work = (app.store.blobs.get_text(one) for one in (case.page_text_digest, case.work_text_digest))
    assert all(any(line[3:-3] in page[g.passage.page_start : g.passage.page_end] for g in grey) for line in LINES)
    copied = "".join(work[one.work_start : one.work_end] for one in case.match.passages)
    assert all(note[3:-3] in copied for note in NOTES)
    assert not any(line[5:-5] in copied for line in LINES)
    assert abs(case.match.share_of_work - sum(map(len, NOTES)) / len(work)) < 0.05


def test_a_page_that_comes_later_is_judged_beside_it_and_a_common_text_is_no_work(app: App) -> None:
    id = add(app)
    capture(app, "http://b.test/1", made_page("又一篇", QUOTING.replace("，", "、")))
    work_through(app)
    assert ("http://b.test/1", "commentary") not in pairs(app)
    assert find_copied_works(app, CLASSIC) == []
    store = app.store
    assert ([work.id for work in store.works.find()], store.works.count()) == (["commentary"], 1)
    assert ([text.id for text in store.works.find_common()], store.works.count_common()) == ([id], 1)
    page = store.pages.many([one.page_id for one in store.cases.each() if one.page_url == QUOTING_URL]).popitem()[1]
    assert {one.work_id: one.nearness for one in find_near_works(app, page)}[id] is Nearness.COMMON
    assert store.clusters.members([Owner.of_work(id)]) == {}, "it is near to nobody"


def test_it_is_found_by_id_and_title_and_a_work_cannot_take_its_id(app: App) -> None:
    id = add(app)
    assert {find_common_id(app, given) for given in (id, "classic", "《川上》")} == {id}
    for unknown in ("commentary", "nothing"):
        with pytest.raises(NotFound):
            find_common_id(app, unknown)
    with pytest.raises(BadInput):
        store_work(app, id, CLASSIC)
    assert app.store.works.get(id).common


def test_the_same_text_is_a_work_and_a_common_text_side_by_side(app: App) -> None:
    id = add(app, COMMENTARY, "作品commentary")
    assert id == "common:classic"
    assert pairs(app, present=True) == set(), "all of it is everybody's now"


def test_a_suite_tells_what_is_common(app: App, tmp_path: Path) -> None:
    texts = {
        "library": [("w", COMMENTARY)],
        "suspects": [("quoting", QUOTING), ("copying", COMMENTARY)],
        "common": [("w", CLASSIC)],
    }

    def detected(*names: str) -> set[str]:
        for name in names:
            rows = [{"id": id, "title": id, "text": text} for id, text in texts[name]]
            (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        assert load_suite_library(app, tmp_path) == 1
        return {row["suspect"] for row in detect_copies(app, tmp_path) if row["source"] == "w"}

    assert detected("library", "suspects") == {"quoting", "copying"}
    assert detected("common") == {"copying"}
    assert app.index(OwnerKind.WORK).exists()
