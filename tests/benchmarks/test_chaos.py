"""The harness that kills everything plans what it says, and sees what would be lost. Its short run is `make chaos`."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from benchmarks.chaos.breakpoints import HaltOrders
from benchmarks.chaos.experiment import count_kills, missed_faults, state_differences
from benchmarks.chaos.faults import (
    COMPATIBLE_FAULTS,
    CRAWL_PLACE,
    FAULTS,
    KILL_FAULTS,
    KILL_PROCESS,
    STEP_PLACES,
    STRIKES_PER_ROUND,
    PlanLength,
    Round,
    plan_rounds,
)
from benchmarks.chaos.workload import PICTURE_PAGES, Workload
from tests.support.way import wait_for
from wenhen.kit.progress import OwnerKind, Step

AT_A_STEP = """
import sys
from pathlib import Path
import redis
from benchmarks.chaos.breakpoints import install_breakpoints
client = redis.Redis.from_url(sys.argv[2])
steps = {"page": {"align": lambda: print(client.ping(), flush=True)}}
install_breakpoints(Path(sys.argv[1]), steps)
while sys.stdin.readline():
    steps["page"]["align"]()
"""


@pytest.mark.parametrize("seed", range(3))
def test_the_long_plan_has_every_fault_by_itself_in_every_step_and_as_many_kills_as_asked(seed: int) -> None:
    plan = plan_rounds(seed, PlanLength.LONG, 200)
    strikes = [strike for one in plan for strike in one.strikes]
    assert sum(fault in KILL_FAULTS for strike in strikes for fault in strike.faults) == 200
    assert {(strike.faults, strike.kind, strike.step) for strike in strikes} >= {
        ((fault,), *place) for fault in FAULTS for place in STEP_PLACES
    }
    together = [strike.faults for strike in strikes if len(strike.faults) > 1]
    assert together
    assert all(other in COMPATIBLE_FAULTS[kill] for kill, other in together)
    assert {one.crawl for one in plan} == set(FAULTS), "the crawl meets each fault, too"
    assert {len(one.strikes) for one in plan} == {STRIKES_PER_ROUND}
    assert plan == plan_rounds(seed, PlanLength.LONG, 200), "the same for the same seed"


def test_the_plan_of_each_has_every_fault_and_a_kill_in_each_step() -> None:
    strikes = [strike for one in plan_rounds(1, PlanLength.EACH, 0) for strike in one.strikes]
    assert {fault for strike in strikes for fault in strike.faults} == set(FAULTS)
    assert {(strike.kind, strike.step) for strike in strikes if strike.faults == (KILL_PROCESS,)} >= set(STEP_PLACES)


def test_a_fault_that_never_fell_where_it_was_to_fails_the_run() -> None:
    plan = plan_rounds(1, PlanLength.SHORT, 0)
    fell = dict.fromkeys([(strike.faults, strike.place) for one in plan for strike in one.strikes], 1)
    fell |= {((one.crawl,), CRAWL_PLACE): 1 for one in plan}
    assert not missed_faults(plan, fell)
    first = plan[0].strikes[0]
    fell.pop((first.faults, first.place))
    assert missed_faults(plan, fell) == [f"{first.faults[0]}: {first.place}"]
    assert missed_faults([Round("cut connections", [])], {}) == ["cut connections: crawl"]


def test_of_two_faults_at_one_time_the_kills_are_counted() -> None:
    fell = {(("kill Redis", "move the clock"), "page align"): 3, (("cut connections",), "page align"): 2}
    assert count_kills(fell) == 3


def test_what_is_lost_or_double_is_told() -> None:
    undisturbed = {"work w0": "a", "case x w0": "b", "fingerprint work w0 0": 1}
    assert not state_differences(undisturbed, dict(undisturbed))
    told = state_differences(undisturbed, {"work w0": "a", "fingerprint work w0 0": 2, "case y w0": "b"})
    assert [line.partition(":")[0] for line in told] == ["case x w0", "case y w0", "fingerprint work w0 0"]
    assert "nothing here" in told[0]


def test_the_workload_is_the_same_for_the_same_seed_and_half_of_its_pages_copy_a_work() -> None:
    one, again, other = Workload(1, 8), Workload(1, 8), Workload(2, 8)
    assert one.pages() == again.pages()
    assert one.works() == again.works()
    assert one.works() != other.works()
    lines = [set(work.text.split("\n")) for work in one.works()]
    copies = [max(sum(line in page.body.decode() for line in work) for work in lines) for page in one.pages()]
    assert sum(shared >= 15 for shared in copies) == 4
    assert sum(b"<img" in page.body for page in one.pages()) == PICTURE_PAGES


def test_who_comes_to_the_step_of_an_order_takes_it_and_stands_still_until_it_is_let_go(
    tmp_path: Path, redis_url: str
) -> None:
    orders = HaltOrders(tmp_path)
    command = [sys.executable, "-c", AT_A_STEP, str(tmp_path), redis_url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        try:
            for kind, word in ((OwnerKind.WORK, 0), (OwnerKind.PAGE, 1), (OwnerKind.PAGE, 99)):
                orders.order(kind, Step.ALIGN, word)
                process.stdin.write("\n")
                process.stdin.flush()
                if kind is OwnerKind.PAGE:
                    wait_for(lambda: psutil.Process(process.pid).status() == psutil.STATUS_STOPPED, "it stands still")
                    taken = orders.find_taker()
                    assert taken is not None
                    assert (taken.pid, orders.is_waiting()) == (process.pid, False)
                    os.kill(process.pid, signal.SIGCONT)
                assert process.stdout.readline() == "True\n"
                assert orders.is_waiting() is (kind is OwnerKind.WORK), "an order for another step is left alone"
            orders.withdraw()
            assert orders.find_taker() is None
        finally:
            process.kill()
