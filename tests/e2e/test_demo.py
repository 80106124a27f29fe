"""The demo as `wenhen demo` runs it: through the production queues and tasks, on servers of its own."""

from collections import Counter
from pathlib import Path
from urllib.request import urlopen

import pytest

from wenhen.crawls.model import RunKind
from wenhen.demo.articles import load_works, own_paragraphs
from wenhen.demo.run import Demo, DemoOutcome, expected_cases, innocent_addresses, start_demo
from wenhen.demo.website import HOSTS, NEWS
from wenhen.kit.progress import Step
from wenhen.runtime.celery_app import make_celery
from wenhen.runtime.settings_sources import child_environment, load_settings
from wenhen.steps.fair_queue import BATCH_TASK

CHANGED = (NEWS, "/2024/0318/10021.html")  # copies the whole of one work
CHANGED_WORK = "老纱厂的夜间书房"


def quiet(_: str) -> None:
    """What the demo says while it runs."""


def done_by_queue(demo: Demo) -> dict[str, Counter[str]]:
    """What each Celery worker says that it has done: tasks by name."""
    broker = child_environment(demo.app.settings)["WENHEN_BROKER_URL"]
    answers = make_celery(broker).control.inspect(timeout=10).stats() or {}
    return {name.partition("@")[0]: Counter(told["total"]) for name, told in answers.items()}


def found(outcome: DemoOutcome) -> set[tuple[str, str]]:
    return {(case.page_url, case.work_title) for case in outcome.cases}


@pytest.fixture
def settings_without_servers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("WENHEN_MONGO_URL", "WENHEN_REDIS_URL", "WENHEN_INDEX_URL", "WENHEN_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.server
@pytest.mark.usefixtures("settings_without_servers", "nursery")
def test_the_demo_finds_the_right_cases_by_way_of_the_queues_and_others_after_a_page_changed() -> None:
    with start_demo(load_settings(), port=0) as demo:
        outcome = demo.run(quiet)
        tasks = done_by_queue(demo)
        with urlopen(demo.dashboard) as answer:
            assert answer.status == 200
            assert "文痕" in answer.read().decode()
        runs = demo.app.store.runs.recent(kind=RunKind.CRAWL)
        steps = demo.app.store.works.count_by_step(), demo.app.store.pages.count_by_step()
        innocent = {f"http://{host}{path}" for host, path in innocent_addresses()}
        after = demo.crawl_again(outcome.imported, {CHANGED: "\n".join(own_paragraphs("阳台番茄日记"))})
    assert outcome.right, (outcome.missing_pairs, outcome.surplus_pairs, outcome.wrongly_licensed)
    assert len(found(outcome)) == len(outcome.cases) == len(expected_cases()) > 20
    assert not {case.page_url for case in outcome.cases} & innocent
    assert outcome.pages >= 40
    assert all(case.match.passages for case in outcome.cases)

    assert tasks["crawler"] == {"crawl": len(HOSTS)}
    assert {str(run.subject) for run in runs if run.ended_at and not run.problem} == set(HOSTS)
    assert steps == ({Step.DONE: len(load_works())}, {Step.DONE: outcome.pages})
    assert tasks["worker"][BATCH_TASK] >= 1, "works come in together"
    assert set(tasks["upkeep"]) <= {"sweep", "tick"}, "no step went past the workers that it is meant for"

    changed = (f"http://{CHANGED[0]}{CHANGED[1]}", CHANGED_WORK)
    assert after.right, (after.missing_pairs, after.surplus_pairs)
    assert found(outcome) - found(after) == {changed}
    assert len(after.cases) == len(expected_cases()) - 1
