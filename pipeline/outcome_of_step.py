"""What came of a batch of records that went through one step together."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from pipeline.context import Context
from store.ports import Claim
from store.records import Step

A = TypeVar("A")
B = TypeVar("B")


@dataclass(slots=True)
class Moved:
    """claims: of the records that moved on, at their next step; those that lost their claim are left out.

    failed: those at fault themselves, each with its error; what befell the others stands.
    """

    claims: Sequence[Claim[Any]]
    failed: list[tuple[Claim[Any], Exception]] = field(default_factory=list)


# The lease says that the worker goes on with what moved; None, that another one will.
BatchWork = Callable[[Context, Sequence[Claim[Any]], timedelta | None], Moved]


def each(
    things: Iterable[tuple[Claim[Any], A]], do: Callable[[Claim[Any], A], B]
) -> tuple[list[tuple[Claim[Any], B]], list[tuple[Claim[Any], Exception]]]:
    """Do something for each claim; what came of it, and the claims that failed."""
    done, failed = [], []
    for claim, thing in things:
        try:
            done.append((claim, do(claim, thing)))
        except Exception as error:  # noqa: BLE001  it goes back with its record, and keeps up no other
            failed.append((claim, error))
    return done, failed


def next_step(moved: Moved) -> Step | None:
    """Where the record of a batch of one stands now; None when its claim was lost. Raises what it failed with."""
    for _, error in moved.failed:
        raise error
    return moved.claims[0].step if moved.claims else None
