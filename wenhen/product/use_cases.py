"""Declare use cases, check rights, and write changes to the audit log."""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Concatenate, Final, Generic, NamedTuple, ParamSpec, TypeVar

from wenhen.kit.errors import Forbidden
from wenhen.kit.rights import ActingToken, Right
from wenhen.product.context import Product

# The acting user or program. Every use case that changes something gets it, for rights and the audit log.


@dataclass(frozen=True, slots=True)
class Acting:
    """A person, a program or a command that acts on the product.

    - who: name in the audit log.
    - rights: what they may do.
    - user_id: id of the user; None for a command, and without sign-in.
    - token: API token in use; None for a browser or a command.
    """

    product: Product
    who: str
    rights: frozenset[Right]
    user_id: str | None = None
    token: ActingToken | None = None

    def may(self, right: Right) -> bool:
        """Return whether they have the right."""
        return right in self.rights

    def require(self, right: Right) -> None:
        """Raise `Forbidden` unless they have the right."""
        if not self.may(right):
            raise Forbidden("people.may_not", right=right.value)


def format_change(old: object, new: object) -> tuple[str | None, str | None]:
    """Format two values as text: strings as they are, and of two records or mappings the differences, as JSON.

    >>> format_change({"depth": 5, "tags": ()}, {"depth": 7, "tags": ()})
    ('{"depth": 5}', '{"depth": 7}')
    """
    before, after = _to_plain_value(old), _to_plain_value(new)
    if isinstance(before, dict) and isinstance(after, dict):
        before, after = (
            {name: value for name, value in mapping.items() if name not in other or other[name] != value}
            for mapping, other in ((before, after), (after, before))
        )
    return _to_json_text(before), _to_json_text(after)


def _to_plain_value(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return dict(value) if isinstance(value, Mapping) else value


def _to_json_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=_to_json_value)


def _to_json_value(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)


# The only writer of the audit log. A use case under `audited` returns a `ChangeResult`: the record, and an `AuditLine`
# for each change. The lines are written before the caller gets the record. So no command, screen or API operation can
# omit them, and a use case without lines fails the type check.


T = TypeVar("T")
P = ParamSpec("P")


class AuditLine(NamedTuple):
    """A line of the audit log.

    - subject: kind:id (``case:12``).
    - old, new: a string, or a record or mapping, of which only differences are stored.
    - action: noun.verb, if it is not that of the use case.
    """

    subject: str
    old: object = None
    new: object = None
    action: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeResult(Generic[T]):
    """The result of a use case, and the lines of its changes; without lines it changed nothing."""

    result: T
    lines: Sequence[AuditLine]


def change_result(result: T, *lines: AuditLine) -> ChangeResult[T]:
    """Make a result with the lines of its changes."""
    return ChangeResult(result, lines)


USE_CASES: Final[dict[Callable[..., object], str]] = {}  # all use cases that change something, with their actions


def audited(
    action: str,
) -> Callable[[Callable[Concatenate[Acting, P], ChangeResult[T]]], Callable[Concatenate[Acting, P], T]]:
    """Declare a use case that changes something. action: noun.verb, with its text under ``audit.<action>``."""

    def declare(use_case: Callable[Concatenate[Acting, P], ChangeResult[T]]) -> Callable[Concatenate[Acting, P], T]:
        @wraps(use_case)
        def run(acting: Acting, /, *args: P.args, **kwargs: P.kwargs) -> T:
            done = use_case(acting, *args, **kwargs)
            write_audit_lines(acting, action, done.lines)
            return done.result

        USE_CASES[run] = action
        return run

    return declare


def write_audit_lines(acting: Acting, action: str, lines: Sequence[AuditLine]) -> None:
    """Write the lines, with one write for each action."""
    by_action: dict[str, list[tuple[str, str | None, str | None]]] = {}
    for line in lines:
        by_action.setdefault(line.action or action, []).append((line.subject, *format_change(line.old, line.new)))
    for name, entries in by_action.items():
        acting.product.store.audit.add_all(acting.product.now(), acting.who, name, entries, token=acting.token)
