"""Where a record stands on its way through the pipeline."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from store.messages import Message


class Step(StrEnum):
    """The next thing to be done with a work or a page; its record holds it, not the queue."""

    EXTRACT = "extract"  # page only: captured bytes -> text
    READ_PICTURES = "read_pictures"  # page only: what is written in its pictures, for EXTRACT
    FINGERPRINT = "fingerprint"
    INDEX = "index"
    LOOK_UP = "look_up"  # rank the candidates of the other side
    ALIGN = "align"  # page only: candidates -> passages -> cases
    REMOVE = "remove"  # take out of the index, then DONE
    DONE = "done"
    SET_ASIDE = "set_aside"  # the last try failed; `Progress.problem` says why


UNFINISHED: Final = tuple(step for step in Step if step not in (Step.DONE, Step.SET_ASIDE))


class OwnerKind(StrEnum):
    """Which side of a match a fingerprint belongs to."""

    WORK = "work"
    PAGE = "page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a record stands on its way, and when the sweep may queue it again."""

    step: Step
    due: datetime
    tries: int = 0
    failed_step: Step | None = None  # the step that SET_ASIDE happened in
    problem: Message | None = None
