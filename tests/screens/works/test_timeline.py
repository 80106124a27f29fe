"""A work's timeline and its series."""

from datetime import timedelta

from flask.testing import FlaskClient

from dashboard.works.views import TimelineKind, timeline
from tests.support.seed import NOW, WORK_TEXT, Seeder, move_case
from wenhen.cases.model import CaseStatus


def test_events_stand_in_the_order_in_which_they_happened(seed: Seeder) -> None:
    seed.work()
    seed.work(text=WORK_TEXT + "又一年。")
    first = seed.case(opened_at=NOW - timedelta(days=2))
    move_case(seed.store, str(first.number), CaseStatus.CONFIRMED, by="沈", reason=None, at=NOW)
    events = timeline(seed.store.works.get("dock"), seed.store.cases.find())
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert next(event.what for event in events) is TimelineKind.PUBLISHED
    assert {event.what for event in events} == set(TimelineKind)
    assert [event.number for event in events if event.what is TimelineKind.VERSION] == [2]


def test_a_work_shows_its_timeline_and_its_proof(client: FlaskClient, seed: Seeder) -> None:
    seed.work(proof="国作登字-2025-A-00000001")
    seed.case()
    page = client.get("/works/one?id=dock").text
    assert "国作登字-2025-A-00000001" in page
    assert "首次发表" in page
    assert "发现侵权副本" in page


def test_a_series_leads_to_its_chapters_in_order(client: FlaskClient, seed: Seeder) -> None:
    for chapter in (2, 1):
        seed.work(f"c{chapter}", text=WORK_TEXT * chapter, title=f"第{chapter}章", series="潮汐簿", chapter=chapter)
    assert "潮汐簿" in client.get("/works/series").text
    page = client.get("/works/", query_string={"series": "潮汐簿"}).text
    assert 0 < page.index("第1章") < page.index("第2章")
