"""The harness that kills everything plans what it says, and sees what would be lost. Its short run is `make chaos`."""

import pytest

from lab.chaos.faults import FAULTS, KILLS
from lab.chaos.plan import PLACES, PROCESS, Length, planned
from lab.chaos.run import CRAWLING, Aftermath, missed
from lab.chaos.state import differences
from lab.chaos.workload import Workload


@pytest.mark.parametrize("seed", range(5))
def test_the_long_plan_has_every_fault_in_every_step_and_as_many_kills_as_asked(seed: int) -> None:
    plan = planned(seed, Length.LONG, 200)
    assert sum(strike.fault in KILLS for strike in plan) >= 200
    assert {(strike.fault, strike.kind, strike.step) for strike in plan} == {
        (fault, *place) for fault in FAULTS for place in PLACES
    }
    assert plan == planned(seed, Length.LONG, 200), "the same for the same seed"


def test_the_plan_of_each_has_every_fault_and_a_kill_in_each_step() -> None:
    plan = planned(1, Length.EACH, 0)
    assert {strike.fault for strike in plan} == set(FAULTS)
    assert {(strike.kind, strike.step) for strike in plan if strike.fault == PROCESS} >= set(PLACES)


def test_a_fault_that_never_fell_where_it_was_to_fails_the_run() -> None:
    plan = planned(1, Length.SHORT, 0)
    fell = dict.fromkeys([(strike.fault, strike.place) for strike in plan], 1) | {(PROCESS, CRAWLING): 1}
    assert not missed(plan, fell)
    first = plan[0]
    fell.pop((first.fault, first.place))
    assert missed(plan, fell) == [f"{first.fault}: {first.place}"]
    assert missed(plan, {}) != []


def test_what_is_lost_or_double_is_told() -> None:
    undisturbed = {"work w0": "a", "case x w0": "b", "fingerprint work w0 0": 1}
    assert not differences(undisturbed, dict(undisturbed))
    told = differences(undisturbed, {"work w0": "a", "fingerprint work w0 0": 2, "case y w0": "b"})
    assert [line.partition(":")[0] for line in told] == ["case x w0", "case y w0", "fingerprint work w0 0"]
    assert "nothing here" in told[0]


def test_the_workload_is_the_same_for_the_same_seed_and_half_of_its_pages_copy_a_work() -> None:
    one, again, other = Workload(1, 8), Workload(1, 8), Workload(2, 8)
    assert one.pages() == again.pages()
    assert one.works() == again.works()
    assert one.works() != other.works()
    lines = [set(work.text.split("\n")) for work in one.works()]
    copies = [any(all(line in page.body.decode() for line in work) for work in lines) for page in one.pages()]
    assert sum(copies) == 4


def test_a_run_is_right_only_if_nothing_is_missing() -> None:
    from collections import Counter

    assert Aftermath(Counter(), [], [], 0.0).right
    assert not Aftermath(Counter(), ["kill MongoDB: page align"], [], 0.0).right
    assert not Aftermath(Counter(), [], ["a case"], 0.0).right
