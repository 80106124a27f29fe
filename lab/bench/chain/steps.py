"""What each step costs by itself: under a claim of its own, in this process, on the real servers."""

from collections.abc import Sequence
from typing import Any, Final

from lab.bench.chain.cost import Cost, Meter
from pipeline.run_step import run_steps
from store.records import OwnerKind, Step
from wenhen.tasks import TOGETHER as ALL
from wenhen.wiring import App

WAY: Final = (Step.EXTRACT, Step.FINGERPRINT, Step.INDEX, Step.LOOK_UP)
TOGETHER: Final = 50


def costs_by_step(app: App, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Send captured pages through one step after the other, as messages of fifty bring them; a row a step."""
    return [_row(str(step), len(ids), _cost(app, ids, step)) for step in WAY]


def _cost(app: App, ids: Sequence[str], step: Step) -> Cost:
    with Meter(app, ours=True) as meter:
        for begin in range(0, len(ids), TOGETHER):
            run_steps(app, OwnerKind.PAGE, ids[begin : begin + TOGETHER], step, {step: ALL[OwnerKind.PAGE][step]})
    return meter.cost


def _row(step: str, pages: int, cost: Cost) -> dict[str, Any]:
    return {
        "step": step,
        "ms": 1000 * cost.seconds / pages,
        **{f"CPU-ms, {who}": 1000 * taken / pages for who, taken in cost.cpu.items()},
        **{f"round trips, {where}": count / pages for where, count in cost.trips.items()},
    }
