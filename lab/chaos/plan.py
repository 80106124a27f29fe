"""Which faults are to fall into which steps, in rounds."""

import random
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from lab.chaos.faults import BESIDE, FAULTS, KILLS, PROCESS
from store.records import OwnerKind, Step
from wenhen.tasks import STEPS

PLACES: Final = [(kind, step) for kind, steps in STEPS.items() for step in steps]
CRAWLING: Final = "crawl"
SHORT: Final = (PROCESS, PROCESS, "kill MongoDB", "empty Redis", "cut connections")
ROUND: Final = 20  # strikes of one round
WORDS: Final = 24  # that a process exchanges with a server in a step, at most, before it stands still


class Strike(NamedTuple):
    """Faults that fall at one time, the step in which they are to fall, and behind which of its words."""

    faults: tuple[str, ...]
    kind: OwnerKind
    step: Step
    word: int

    @property
    def place(self) -> str:
        """The step, as people read it."""
        return f"{self.kind} {self.step}"


class Round(NamedTuple):
    """Strikes on one workload, before which its crawl is struck."""

    crawl: str
    strikes: Sequence[Strike]


class Length(StrEnum):
    """How long a run is."""

    SHORT = "short"  # some faults, half a minute on a machine that does nothing else
    EACH = "each"  # each fault once, and a kill in each step
    LONG = "long"  # each fault in each step by itself, then kills beside another fault, until there were so many


def planned(seed: int, length: Length, kills: int) -> list[Round]:
    """The rounds in their order, which the seed decides. kills: kill -9 of a long run."""
    chance = random.Random(seed)
    if length is Length.SHORT:
        places = chance.sample(PLACES, len(SHORT))
        return [Round(PROCESS, [_strike(chance, (fault,), *at) for fault, at in zip(SHORT, places, strict=True)])]
    if length is Length.EACH:
        strikes = [_strike(chance, (PROCESS,), *place) for place in PLACES]
        strikes += [_strike(chance, (fault,), *chance.choice(PLACES)) for fault in FAULTS if fault != PROCESS]
    else:
        strikes = [_strike(chance, (fault,), *place) for fault in FAULTS for place in PLACES]
        several = _beside(chance)
        strikes += [next(several) for _ in range(kills - sum(one.faults[0] in KILLS for one in strikes))]
    chance.shuffle(strikes)
    rounds = [strikes[at : at + ROUND] for at in range(0, len(strikes), ROUND)]
    return [Round(FAULTS[number % len(FAULTS)], one) for number, one in enumerate(rounds)]


def _beside(chance: random.Random) -> Iterator[Strike]:
    """Without end: in each step each kill once, beside each other fault once."""
    others = [fault for fault in FAULTS if fault not in KILLS]
    while True:
        for place in chance.sample(PLACES, len(PLACES)):
            kills = chance.sample(sorted(KILLS), len(KILLS))
            while not all(other in BESIDE[kill] for kill, other in zip(kills, others, strict=True)):
                chance.shuffle(kills)
            yield from (_strike(chance, pair, *place) for pair in zip(kills, others, strict=True))


def _strike(chance: random.Random, faults: tuple[str, ...], kind: OwnerKind, step: Step) -> Strike:
    return Strike(faults, kind, step, chance.randrange(WORDS))
