"""A licence covers what it names, for as long as it says; the contract test has the addresses."""

from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from tests.support.samples import NOON, licence
from wenhen.kit.errors import BadInput
from wenhen.licences.model import Licence, find_covering_licence, has_attribution, is_covered_by

DAY = timedelta(days=1)
URL = "http://paper.example/long/path/1"


@pytest.mark.parametrize(
    ("values", "covered"),
    [
        ({}, True),
        ({"url_prefix": "paper.example/long"}, True),
        ({"url_prefix": "paper.example/lon"}, False),
        ({"url_prefix": "www.paper.example"}, True),
        ({"url_prefix": "m.paper.example"}, False),
        ({"work_id": "w1"}, True),
        ({"work_id": "w2"}, False),
        ({"valid_from": NOON, "valid_until": NOON}, True),
        ({"valid_from": NOON + DAY}, False),
        ({"valid_until": NOON - DAY}, False),
    ],
)
def test_a_licence_covers_its_place_its_work_and_its_time(values: dict[str, Any], covered: bool) -> None:
    assert is_covered_by(licence(**values), URL, "w1", NOON) is covered


def test_the_closest_licence_counts_in_whatever_order_they_come() -> None:
    general, longer = licence("general"), licence("longer", url_prefix="paper.example/long")
    exact = licence("exact", work_id="w1")
    over = licence("over", work_id="w1", url_prefix="paper.example/long/path", valid_until=NOON - DAY)

    def best(*some: Licence) -> set[Licence | None]:
        return {find_covering_licence(order, URL, "w1", NOON) for order in permutations(some)}

    assert best(general, longer, exact, over) == {exact}
    assert best(general, longer, over) == {longer}
    assert best(over) == {None}


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(BadInput):
        find_covering_licence([licence()], "http://[::1", "w1", NOON)


def test_a_source_is_named_whatever_the_width_case_and_spacing() -> None:
    assert has_attribution("转载 来源： 晨读网 ＡＢＣ", "来源:晨读网abc")
    assert not has_attribution("来源：晨报", "来源：晨读网")
