"""Record user decisions about reply mails and answers, and what a receiver did about each address."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from crawler.addresses import canonical_url, scheme_neutral_url
from wenhen.cases.decisions import MAX_NOTE_CHARACTERS, Decided, decide_cases
from wenhen.cases.model import Case, CaseStatus
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput, Conflict, Message, NotFound
from wenhen.kit.files import limit_upload
from wenhen.kit.rights import Right
from wenhen.notices.mailbox import add_answer, make_answer
from wenhen.notices.model import AddressState, AnswerKind, AssignedBy, Notice, Reply
from wenhen.notices.platforms import is_delisting
from wenhen.works.importers.csv_rows import decode_csv

_ANSWER_STATUSES: Final = MappingProxyType(
    {
        AnswerKind.REMOVED: CaseStatus.REMOVED,
        AnswerKind.REFUSED: CaseStatus.REFUSED,
        AnswerKind.COUNTER_NOTICE: CaseStatus.COUNTERED,
    }
)


@audited("reply.assign")
def assign_reply(acting: Acting, id: str, number: str) -> ChangeResult[Reply]:
    """Assign a waiting mail to a notice.

    Raises `NotFound`, `Conflict` if it is already assigned or dismissed, `BadInput` for an unsent notice, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    store, now = acting.product.store, acting.product.now()
    old = _waiting_reply(acting, id)
    if store.notices.get(number).sent_at is None:
        raise BadInput("replies.unsent", number=number)
    new = replace(old, notice=number, assigned_at=now)
    line = add_answer(acting.product, number, make_answer(new, AssignedBy.HAND, acting.who))
    store.replies.put(new)
    return change_result(new, AuditLine(f"reply:{id[:12]}", new={"notice": number}), *([line] if line else []))


@audited("reply.set_aside")
def dismiss_reply(acting: Acting, id: str) -> ChangeResult[Reply]:
    """Dismiss a mail that belongs to no notice. It stays stored. Raises `NotFound`, `Conflict`, `Forbidden`."""
    acting.require(Right.PROCEED)
    new = replace(_waiting_reply(acting, id), set_aside_at=acting.product.now(), set_aside_by=acting.who)
    acting.product.store.replies.put(new)
    return change_result(new, AuditLine(f"reply:{id[:12]}", new={"from": new.sender}))


@audited("notice.read")
def classify_answer(
    acting: Acting, id: str, place: int, kind: AnswerKind, *, move: bool = True
) -> ChangeResult[Notice]:
    """Classify an answer, and move the cases of the notice accordingly.

    place: index of the answer, from 0.
    move: move the cases as far as their transitions allow. Answers of search engines move none.

    Raises `NotFound`, `Conflict` after a concurrent change of the notice, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    store = acting.product.store
    old = store.notices.get(id)
    if not 0 <= place < len(old.answers):
        raise NotFound("replies.no_answer", id=id, place=place)
    was = old.answers[place]
    now = replace(was, kind=kind, read_at=acting.product.now(), read_by=acting.who)
    new = replace(old, answers=(*old.answers[:place], now, *old.answers[place + 1 :]))
    store.notices.change(old, new)
    moved = move_answered_cases(acting, new, kind, was.text, new.case_numbers) if move else None
    audited = {"answer": kind} | ({"cases": list(moved.moved)} if moved else {})
    return change_result(new, AuditLine(f"notice:{id}", old={"answer": was.kind}, new=audited))


def move_answered_cases(
    acting: Acting, notice: Notice, kind: AnswerKind, text: str, numbers: Sequence[int]
) -> Decided | None:
    """Move cases of a notice as an answer says. Return None if an answer of this kind or receiver moves none."""
    if kind not in _ANSWER_STATUSES or is_delisting(acting.product, notice.platform):
        return None
    note = f"{notice.id} {' '.join(text.split())}"[:MAX_NOTE_CHARACTERS]
    return decide_cases(acting, numbers, _ANSWER_STATUSES[kind], note=note)


def _waiting_reply(acting: Acting, id: str) -> Reply:
    reply = acting.product.store.replies.get(id)
    if reply.notice is not None or reply.set_aside_at is not None:
        raise Conflict("replies.has_its_place", id=id[:12])
    return reply


# Files of states, in which the receiver of a notice tells what it did about each of its addresses.

MAX_STATE_ROWS: Final = 10_000  # rows of a file of states
_MAX_SAID_CHARACTERS: Final = 200  # characters of a state that are stored


@dataclass(frozen=True, slots=True)
class RefusedState:
    """A row of a file of states that was not taken, and why."""

    row: int  # from 1
    reason: Message


@dataclass(frozen=True, slots=True)
class StatesRead:
    """What a file of states gave: the states by kind, the cases that moved, the rows that were refused."""

    notice: str
    kinds: Mapping[str, int]
    moved: tuple[int, ...]
    refused: tuple[RefusedState, ...]


@audited("notice.states")
def read_address_states(
    acting: Acting,
    id: str,
    content: bytes,
    *,
    words: Mapping[str, AnswerKind] = MappingProxyType({}),
    move: bool = True,
) -> ChangeResult[StatesRead]:
    """Store the state of each address from the file of a platform, and move the cases accordingly.

    content: CSV or text, an address and a state a row, in columns of any name and order.
    words: further words for states, beside the usual ones in Chinese and English.
    move: move the cases as far as their transitions allow. States of search engines move none.

    Rows of other addresses and with unknown words are refused. The others are stored. Raises `NotFound`, `BadInput` for
    an unsent notice or a file without any address, `Conflict` after a concurrent change, and `Forbidden`.
    """
    acting.require(Right.PROCEED)
    product, now = acting.product, acting.product.now()
    limit_upload(None, content)
    old = product.store.notices.get(id)
    if old.sent_at is None:
        raise BadInput("notices.states_unsent", id=id)
    cases = cases_by_address(product, old)
    known = {_plain_word(word): kind for kind, known_words in _WORDS.items() for word in known_words}
    known |= {_plain_word(word): kind for word, kind in words.items()}
    states = {_address_key(state.address): state for state in old.address_states}
    taken: dict[str, AddressState] = {}
    refused: list[RefusedState] = []
    for row, cells in _state_rows(content):
        try:
            key, said, kind = _read_state(cells, cases, known)
        except BadInput as error:
            refused.append(RefusedState(row, error.message))
            continue
        taken[key] = AddressState(
            address=cases[key][0].page_url, kind=kind, said=said[:_MAX_SAID_CHARACTERS], at=now, by=acting.who
        )
    if not taken and not refused:
        raise BadInput("notices.no_states")
    new = replace(old, address_states=tuple((states | taken).values()))
    product.store.notices.change(old, new)
    moved = _move_cases(acting, new, taken, cases) if move else ()
    counts = {str(kind): sum(state.kind is kind for state in taken.values()) for kind in AnswerKind}
    kinds = {kind: count for kind, count in counts.items() if count}
    line = AuditLine(f"notice:{id}", new={"states": kinds, "cases": list(moved), "refused": len(refused)})
    return change_result(StatesRead(id, kinds, moved, tuple(refused)), line)


# The words of platforms for what they did. A word counts only as a whole: 未删除 holds 删除. Words that may mean either
# are left out: 已处理, 通过, accepted.
_WORDS: Final[Mapping[AnswerKind, Sequence[str]]] = MappingProxyType(
    {
        AnswerKind.REMOVED: (
            *("已删除", "删除", "已下架", "下架", "已移除", "移除", "已屏蔽", "屏蔽", "已断开链接", "断开链接"),
            *("已断链", "投诉成功", "举报成功", "投诉成立", "removed", "deleted", "delisted", "approved", "taken down"),
        ),
        AnswerKind.REFUSED: (
            *("已驳回", "驳回", "已拒绝", "拒绝", "不予处理", "未通过", "审核不通过", "审核未通过", "投诉不成立"),
            *("投诉失败", "举报失败", "refused", "rejected", "denied", "declined", "not removed", "not approved"),
            *("no action", "no action taken"),
        ),
        AnswerKind.RECEIVED: (
            *("已收到", "已提交", "已受理", "受理中", "处理中", "审核中", "待处理", "待审核", "排队中", "received"),
            *("submitted", "pending", "processing", "in progress", "in review", "under review"),
        ),
        AnswerKind.COUNTER_NOTICE: ("反通知", "已申诉", "申诉中", "被申诉", "counter notice", "counter notification"),
    }
)
_GAPS: Final = re.compile(r"[\s_-]+")


def _plain_word(word: str) -> str:
    """Return a word without case and gaps."""
    return _GAPS.sub("", word).casefold()


def _state_rows(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with an address. Others are headings and remarks. Raises `BadInput` for too many rows."""
    text = decode_csv(content)
    rows = csv.reader(io.StringIO(text), delimiter="\t" if "\t" in text.partition("\n")[0] else ",")
    try:
        for row, cells in enumerate(rows, 1):
            if row > MAX_STATE_ROWS:
                raise BadInput("notices.many_states", most=MAX_STATE_ROWS)
            stripped = [cell.strip() for cell in cells]
            if len(stripped) == 1:  # "address state" in a text file
                stripped = stripped[0].split(maxsplit=1)
            if any(_is_address(cell) for cell in stripped):
                yield row, stripped
    except csv.Error as error:
        raise BadInput("csv.bad_line", error=str(error)) from None


def _is_address(cell: str) -> bool:
    return cell.casefold().startswith(("http://", "https://"))


def _read_state(
    cells: Sequence[str], cases: Mapping[str, Sequence[Case]], known: Mapping[str, AnswerKind]
) -> tuple[str, str, AnswerKind]:
    """Return the key of a row's address, its state in the platform's words, and what that means.

    Raises `BadInput` for an address of no case, and for cells with no known state or with two.
    """
    addresses = [cell for cell in cells if _is_address(cell)]
    key = next((key for address in addresses if (key := _address_key(address)) in cases), None)
    if key is None:
        raise BadInput("notices.other_address", address=addresses[0][:_MAX_SAID_CHARACTERS])
    others = [cell for cell in cells if cell and cell not in addresses]
    states = {known[word]: cell for cell in others if (word := _plain_word(cell)) in known}
    if len(states) != 1:
        raise BadInput("notices.unknown_state", state=" ".join(others)[:_MAX_SAID_CHARACTERS])
    [(kind, said)] = states.items()
    return key, said, kind


def _address_key(address: str) -> str:
    return scheme_neutral_url(canonical_url(address))


def cases_by_address(product: Product, notice: Notice) -> dict[str, list[Case]]:
    """Return the cases of a notice by the address of their page, in the order of their numbers."""
    by_address: dict[str, list[Case]] = {}
    for case in sorted(product.store.cases.many(notice.case_numbers).values(), key=lambda case: case.number):
        by_address.setdefault(_address_key(case.page_url), []).append(case)
    return by_address


def _move_cases(
    acting: Acting, notice: Notice, taken: Mapping[str, AddressState], cases: Mapping[str, Sequence[Case]]
) -> tuple[int, ...]:
    moved: list[int] = []
    for kind in AnswerKind:
        numbers = [case.number for key, state in taken.items() if state.kind is kind for case in cases[key]]
        said = dict.fromkeys(state.said for state in taken.values() if state.kind is kind)
        decided = move_answered_cases(acting, notice, kind, " ".join(said), numbers) if numbers else None
        moved += decided.moved if decided else ()
    return tuple(sorted(moved))
