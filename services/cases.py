"""What people do with cases: decide, assign, comment, take back. The browser, the API and the command share it.

Every change is written to the audit log with the old and the new value, after it was done.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from store.errors import BadInput, NotFound
from store.ports import Store
from store.records import ActingToken, Case, CaseStatus, Comment
from store.rules import case_path

NOTE_LENGTH: Final = 1_000  # characters of a reason
COMMENT_LENGTH: Final = 5_000
ASSIGNEE_LENGTH: Final = 60
MOST: Final = 2_000  # cases of one move
TERM: Final = timedelta(days=7)  # that a notice gives where it names no other day
BEYOND: Final = frozenset(set(case_path.INFRINGING) - {CaseStatus.CONFIRMED})  # what a decision alone does not reach
NOTED: Final = frozenset({CaseStatus.DISMISSED, CaseStatus.REFUSED})  # these need a reason


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move did: cases by number; those that stay where they were, as their path leads elsewhere."""

    batch: str  # undone by this name
    moved: tuple[int, ...]
    stayed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Casework:
    """The use cases, for one person at one moment."""

    store: Store
    who: str
    at: datetime
    may_proceed: bool  # beyond the confirmation: notices and what became of them
    token: ActingToken | None = None

    def move(
        self,
        numbers: Sequence[int],
        status: CaseStatus,
        *,
        note: str | None = None,
        notice_at: datetime | None = None,
        deadline: datetime | None = None,
    ) -> Moved:
        """Move cases to the status, those whose path leads there; cases that are not there are left out.

        A dismissal and a refusal need a note. A notice without dates is sent now and gives a week.

        Raises `BadInput` for a note that is missing, too many cases, or a step that this person may not take.
        """
        note = (note or "").strip()[:NOTE_LENGTH] or None
        if status in NOTED and note is None:
            raise BadInput(f"moving a case to {status} needs a reason")
        if len(numbers) > MOST:
            raise BadInput(f"one move takes at most {MOST} cases, not {len(numbers)}")
        if status in BEYOND and not self.may_proceed:
            raise BadInput(f"only who may proceed beyond the confirmation may move a case to {status}")
        if status is CaseStatus.NOTICE_SENT:
            notice_at = notice_at or self.at
            deadline = deadline or notice_at + TERM
            if deadline < notice_at:
                raise BadInput("the deadline of a notice comes after the day on which it was sent")
        before = self.store.cases.many(numbers)
        batch = secrets.token_hex(8)
        moved = self.store.cases.decide_many(
            list(before),
            status,
            only_from=[one for one in case_path.before(status) if self.may_proceed or one not in BEYOND],
            by=self.who,
            reason=note,
            at=self.at,
            batch=batch,
            notice_at=notice_at if status is CaseStatus.NOTICE_SENT else None,
            deadline=deadline if status is CaseStatus.NOTICE_SENT else None,
        )
        new: dict[str, object] = {"status": status, "reason": note}
        if status is CaseStatus.NOTICE_SENT:
            new |= {"notice_at": notice_at, "deadline": deadline}
        self._audit("case.decide", [(before[n], {"status": before[n].status}, new) for n in moved])
        return Moved(batch, tuple(moved), tuple(sorted(set(before) - set(moved))))

    def undo(self, batch: str) -> tuple[int, ...]:
        """Take a move back, but for cases that were moved since; the numbers of the others."""
        moved = {case.number: case for case in self.store.cases.many(self.store.cases.of_batch(batch)).values()}
        undone = self.store.cases.undo(batch, at=self.at)
        after = self.store.cases.many(undone)
        rows = [(moved[n], {"status": moved[n].status}, {"status": after[n].status}) for n in undone if n in moved]
        self._audit("case.undo", rows)
        return tuple(undone)

    def assign(self, numbers: Sequence[int], assignee: str | None) -> int:
        """Give cases to somebody, or to nobody; how many."""
        if len(numbers) > MOST:
            raise BadInput(f"at most {MOST} cases are assigned at once, not {len(numbers)}")
        assignee = (assignee or "").strip() or None
        before = self.store.cases.many(numbers)
        changed = [case for case in before.values() if case.assignee != assignee]
        self.store.cases.assign([case.number for case in changed], assignee, at=self.at)
        self._audit("case.assign", [(case, {"assignee": case.assignee}, {"assignee": assignee}) for case in changed])
        return len(changed)

    def comment(self, number: int, text: str) -> Comment:
        """Say something about a case. Raises `BadInput` for nothing, `NotFound`."""
        text = text.strip()[:COMMENT_LENGTH]
        if not text:
            raise BadInput("an empty comment says nothing")
        case = self.store.cases.many([number]).get(number)
        if case is None:
            raise NotFound(f"No case has the number {number}.")
        comment = self.store.comments.add(number, by=self.who, text=text, at=self.at)
        self._audit("case.comment", [(case, {}, {"comment": text})])
        return comment

    def _audit(self, action: str, rows: Sequence[tuple[Case, Mapping[str, object], Mapping[str, object]]]) -> None:
        entries = [(f"case:{case.number}", _written(old), _written(new)) for case, old, new in rows]
        self.store.audit.add_all(self.at, self.who, action, entries, token=self.token)


def _written(values: Mapping[str, object]) -> str | None:
    told = {name: value for name, value in values.items() if value is not None}
    return json.dumps(told, ensure_ascii=False, default=_text) if told else None


def _text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
