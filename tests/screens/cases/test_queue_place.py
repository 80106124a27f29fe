"""From a case one goes on to the next one of the list that it was opened from."""

import pytest
from flask.testing import FlaskClient

from dashboard.cases.queue_page import QueuePlace, place_in_list
from tests.support.screens import post
from tests.support.seed import Seeder, move_case
from wenhen.cases.model import CaseOrder, CaseStatus


@pytest.mark.parametrize(
    ("numbers", "number", "order", "place"),
    [
        ([9, 7, 4], 9, CaseOrder.NEWEST, QueuePlace(7, 1, 3)),
        ([9, 7, 4], 4, CaseOrder.NEWEST, QueuePlace(None, 3, 3)),
        ([9, 4], 7, CaseOrder.NEWEST, QueuePlace(4, 0, 2)),  # 7 was decided, and has left the list
        ([4, 9], 7, CaseOrder.OLDEST, QueuePlace(9, 0, 2)),
        ([4, 9], 7, CaseOrder.LARGEST, QueuePlace(4, 0, 2)),
        ([9], 7, CaseOrder.NEWEST, QueuePlace(None, 0, 1)),
        ([], 7, CaseOrder.LIKELIEST, QueuePlace(None, 0, 0)),
    ],
)
def test_what_follows_in_a_list(numbers: list[int], number: int, order: CaseOrder, place: QueuePlace) -> None:
    assert place_in_list(numbers, number, order) == place


def test_a_decision_keeps_the_list_and_leads_on_in_it(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    cases = [seed.case(f"https://{name}.example/1") for name in ("ours", "theirs", "ours2", "ours3")]
    for case in (cases[0], cases[2], cases[3]):
        seed.store.cases.assign([case.number], "沈之遥", moment=case.opened_at)
    mine = "?status=lead&assignee=沈之遥"
    listed = client.get(f"/suspects/{mine}").get_data(as_text=True)
    assert f'href="/cases/{cases[3].number}?status=lead&amp;assignee=' in listed

    page = client.get(f"/cases/{cases[3].number}{mine}").get_data(as_text=True)
    assert "第 1 件，共 3 件" in page
    here = f"/cases/{cases[3].number}"
    answer = post(client, f"{here}/decision{mine}", form_at=here, status="confirmed")
    assert answer.location is not None
    assert answer.location.startswith(f"/cases/{cases[3].number}?status=lead&assignee=")
    after = client.get(answer.location).get_data(as_text=True)
    assert f'href="/cases/{cases[2].number}?status=lead&amp;assignee=' in after


def test_without_a_list_the_leads_are_gone_through_from_the_newest_to_the_oldest(
    client: FlaskClient, seed: Seeder
) -> None:
    seed.work()
    first, second, third = (seed.case(f"https://copies.example/{n}") for n in range(3))
    move_case(seed.store, second.id, CaseStatus.CONFIRMED, by="沈", reason=None, at=second.opened_at)
    for here, following in ((third, first), (second, first), (first, third)):
        page = client.get(f"/cases/{here.number}").get_data(as_text=True)
        assert f'<a class="button" href="/cases/{following.number}" data-key="l"' in page
