"""Which faults are to fall into which steps."""

import random
from enum import StrEnum
from typing import Final, NamedTuple

from lab.chaos.faults import FAULTS, KILLS
from store.records import OwnerKind, Step
from wenhen.tasks import STEPS

PLACES: Final = [(kind, step) for kind, steps in STEPS.items() for step in steps]
PROCESS: Final = "kill a process"
SHORT: Final = (PROCESS, PROCESS, "kill MongoDB", "empty Redis", "cut connections")


class Strike(NamedTuple):
    """A fault, and the step in which it is to fall."""

    fault: str
    kind: OwnerKind
    step: Step

    @property
    def place(self) -> str:
        """The step, as people read it."""
        return f"{self.kind} {self.step}"


class Length(StrEnum):
    """How long a run is."""

    SHORT = "short"  # some faults, half a minute on a machine that does nothing else
    EACH = "each"  # each fault once, and a kill in each step
    LONG = "long"  # each fault in each step, until there were so many kills


def planned(seed: int, length: Length, kills: int) -> list[Strike]:
    """The strikes in their order, which the seed decides. kills: kill -9 of a long run, at least."""
    chance = random.Random(seed)
    if length is Length.SHORT:
        return [Strike(fault, *place) for fault, place in zip(SHORT, chance.sample(PLACES, len(SHORT)), strict=True)]
    if length is Length.EACH:
        plan = [Strike(PROCESS, *place) for place in PLACES]
        plan += [Strike(fault, *chance.choice(PLACES)) for fault in FAULTS if fault != PROCESS]
        chance.shuffle(plan)
        return plan
    plan = []
    while sum(strike.fault in KILLS for strike in plan) < kills:
        every = [Strike(fault, *place) for fault in FAULTS for place in PLACES]
        chance.shuffle(every)
        plan += every
    return plan
