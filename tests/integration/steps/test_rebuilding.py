"""An index is built again and works are matched again, on real servers; what died on the way is told."""

from datetime import timedelta

import pymongo
import pytest
import redis

from tests.support.way import capture, made_page, made_text, pairs, work_through
from wenhen.crawls.model import Run, RunKind
from wenhen.kit.progress import OwnerKind, Step, Subject, SubjectKind, page_id
from wenhen.matching.index_rebuild import rebuild_index, verify_index
from wenhen.matching.rematch import end_finished_rematch, start_rematch
from wenhen.operations.health import check_health
from wenhen.pipeline.reconciler import reconcile
from wenhen.runtime.wiring import App
from wenhen.steps.fair_queue import UPKEEP_QUEUE
from wenhen.texts.source_lookup import find_copied_works

URL = "http://site.test/a"
RIVER = made_text("river")


def test_an_emptied_index_is_built_again_from_the_fingerprints(copied: App) -> None:
    assert copied.settings.index.url
    with redis.Redis.from_url(copied.settings.index.url) as client:
        client.flushdb()
    capture(copied, "http://site.test/b", made_page("又一处", RIVER))
    work_through(copied)
    assert pairs(copied) == {(URL, "river")}, "what needs the index waits"
    before = copied.queue.count_waiting()[UPKEEP_QUEUE]
    reconcile(copied)
    assert copied.queue.count_waiting()[UPKEEP_QUEUE] == before + 2, "a rebuild of each index"
    for kind in OwnerKind:
        rebuild_index(copied, kind)
    assert {kind: verify_index(copied, kind).missing for kind in OwnerKind} == {OwnerKind.WORK: 0, OwnerKind.PAGE: 0}
    assert [finding.work_id for finding in find_copied_works(copied, RIVER)] == ["river"]


@pytest.mark.parametrize("change", [{"scheme": "other"}, {"parameters.reading": 1}])
def test_fingerprints_made_in_another_way_are_noticed_everywhere_and_made_again(
    copied: App, change: dict[str, object]
) -> None:
    assert copied.settings.mongo.url
    with pymongo.MongoClient[dict[str, object]](copied.settings.mongo.url) as client:
        client[copied.settings.mongo.database]["fingerprints"].update_many({}, {"$set": change})
    for kind, name in ((OwnerKind.WORK, "works index"), (OwnerKind.PAGE, "pages index")):
        assert verify_index(copied, kind).outdated == 1
        state = check_health(copied)[name]
        assert not state.answers
        assert "1 fingerprints are of another scheme" in state.detail
    reconcile(copied)
    done = work_through(copied)
    assert ("river", Step.FINGERPRINT) in done
    assert (page_id(URL), Step.ALIGN) in done
    for kind in OwnerKind:
        assert (verify_index(copied, kind).outdated, verify_index(copied, kind).missing) == (0, 0)
    assert all(check_health(copied)[name].answers for name in ("works index", "pages index"))
    assert pairs(copied, present=True) == {(URL, "river")}
    reconcile(copied)
    assert not work_through(copied), "once"


def test_a_rebuild_whose_process_died_is_ended_with_the_reason_and_one_that_goes_on_is_left_alone(app: App) -> None:
    lost = app.store.runs.start(RunKind.REBUILD, Subject(SubjectKind.INDEX, "work"), app.now() - timedelta(minutes=1))
    run = rebuild_index(app, OwnerKind.WORK)
    assert run is not None
    assert (run.ended_at is not None, run.problem) == (True, None)
    assert "no sign of life" in str(app.store.runs.get(lost.id).problem)
    app.store.runs.start(RunKind.REBUILD, Subject(SubjectKind.INDEX, "work"), app.now())
    assert rebuild_index(app, OwnerKind.WORK) is None
    assert rebuild_index(app, OwnerKind.PAGE) is not None


def test_of_two_that_begin_a_rebuild_at_once_one_does_it(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second asked whether anybody is at it just before the first began."""
    create, second = app.works_index.create, list[Run | None]()

    def created(**sizes: int) -> None:
        monkeypatch.undo()
        with monkeypatch.context() as earlier:
            earlier.setattr(app.store.runs, "active", lambda _: [])
            second.append(rebuild_index(app, OwnerKind.WORK))
        create(**sizes)

    monkeypatch.setattr(app.works_index, "create", created)
    first = rebuild_index(app, OwnerKind.WORK)
    assert first is not None
    assert (first.ended_at is not None, first.problem) == (True, None)
    assert second == [None]
    assert rebuild_index(app, OwnerKind.WORK) is not None, "the next one may"


def test_a_rebuild_that_is_interrupted_ends_its_run_and_the_next_one_begins_at_once(copied: App) -> None:
    def interrupted(_done: int, _of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild_index(copied, OwnerKind.WORK, interrupted)
    [run] = copied.store.runs.recent(kind=RunKind.REBUILD, subject=Subject(SubjectKind.INDEX, "work"), limit=1)
    assert run.ended_at is not None
    assert "Ctrl-C" in str(run.problem)
    again = rebuild_index(copied, OwnerKind.WORK)
    assert again is not None
    assert again.problem is None


def test_a_rematch_whose_process_died_while_it_sent_works_is_ended_with_the_reason(app: App) -> None:
    lost, going = (
        app.store.runs.start(RunKind.REMATCH, None, app.now() - ago) for ago in (timedelta(hours=1), timedelta(0))
    )
    end_finished_rematch(app)
    assert "no sign of life" in str(app.store.runs.get(lost.id).problem)
    assert app.store.runs.get(going.id).ended_at is None


def test_a_rematch_finds_what_was_lost_and_leaves_a_record_that_people_can_see(copied: App) -> None:
    copied.store.matches.remove([match.id for match in copied.store.matches.of_work("river")])
    run = start_rematch(copied)
    end_finished_rematch(copied)
    assert copied.store.runs.get(run.id).ended_at is None, "it is over when the last page is matched"
    work_through(copied)
    end_finished_rematch(copied)
    [ended] = copied.store.runs.recent(kind=RunKind.REMATCH)
    assert ended.ended_at
    assert (ended.counts["works"], ended.counts["cases_opened"], ended.problem) == (1, 0, None)
    assert [match.page_id for match in copied.store.matches.of_work("river")] == [page_id(URL)]
