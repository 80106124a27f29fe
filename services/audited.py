"""The one writer of the audit log: a use case that changes something returns what it changed, and that is written down.

::

    @audited("site.pause")
    def pause(acting: Acting, id: str) -> Changed[Site]:
        return changed(acting.product.store.sites.change(id, {"paused": True}), Line(f"site:{id}"))

Its callers get the `Site`. What it did stands in the log before they have it: no command, screen or operation of the
API can forget it, and a use case that forgot would not pass the type checker.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, Final, Generic, NamedTuple, ParamSpec, TypeVar

from services.acting import Acting
from store.audit_values import written

T = TypeVar("T")
P = ParamSpec("P")


class Line(NamedTuple):
    """One line of the log. subject: kind:id (``case:12``). old, new: a string, or a record or mapping, of which only
    what differs is kept. action: noun.verb, where it is not the use case's own.
    """

    subject: str
    old: object = None
    new: object = None
    action: str | None = None


@dataclass(frozen=True, slots=True)
class Changed(Generic[T]):
    """What a use case gives back, and what it changed; without lines it changed nothing."""

    result: T
    lines: Sequence[Line]


def changed(result: T, *lines: Line) -> Changed[T]:
    """A result with the lines of what was changed."""
    return Changed(result, lines)


USE_CASES: Final[dict[Callable[..., object], str]] = {}  # everything that changes something, with its action


def audited(
    action: str,
) -> Callable[[Callable[Concatenate[Acting, P], Changed[T]]], Callable[Concatenate[Acting, P], T]]:
    """Declare a use case that changes something. action: noun.verb, with words under ``audit.<action>``."""

    def declare(use_case: Callable[Concatenate[Acting, P], Changed[T]]) -> Callable[Concatenate[Acting, P], T]:
        @wraps(use_case)
        def run(acting: Acting, /, *args: P.args, **kwargs: P.kwargs) -> T:
            done = use_case(acting, *args, **kwargs)
            write(acting, action, done.lines)
            return done.result

        USE_CASES[run] = action
        return run

    return declare


def write(acting: Acting, action: str, lines: Sequence[Line]) -> None:
    """Write the lines, in as few writes as there are actions."""
    by_action: dict[str, list[tuple[str, str | None, str | None]]] = {}
    for line in lines:
        by_action.setdefault(line.action or action, []).append((line.subject, *written(line.old, line.new)))
    for name, entries in by_action.items():
        acting.product.store.audit.add_all(acting.product.now(), acting.who, name, entries, token=acting.token)
