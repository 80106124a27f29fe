"""Record and store what people add to a case: comments, and amounts of money."""

import re
import secrets
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Final

from pymongo.operations import UpdateOne

from wenhen.cases.model import Amount, AmountKind, Comment
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, audited, change_result
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, Conflict, Forbidden, NotFound
from wenhen.kit.mongo.codec import from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import BATCH_DOCUMENTS, Records, TableSpec, field_index
from wenhen.kit.rights import Right
from wenhen.kit.text import search_terms, term_conditions

# Comments: their authors may correct them for a day.


MAX_COMMENT_CHARACTERS: Final = 5_000
CHANGE_PERIOD: Final = timedelta(days=1)  # afterwards others have relied on what was said


@audited("case.comment")
def add_comment(acting: Acting, number: int, text: str) -> ChangeResult[Comment]:
    """Add a comment to a case. Raises `BadInput` for an empty text, `NotFound`, `Forbidden`."""
    acting.require(Right.COMMENT)
    text = _parse_comment(text)
    store, now = acting.product.store, acting.product.now()
    if number not in store.cases.many([number]):
        raise NotFound("cases.no_number", number=number)
    written = store.comments.add(number, by=acting.who, text=text, moment=now)
    store.cases.give_opinion(number, by=acting.who, moment=now)
    return change_result(written, AuditLine(f"case:{number}", new={"comment": text}))


@audited("case.correct_comment")
def correct_comment(acting: Acting, number: int, id: str, text: str) -> ChangeResult[Comment]:
    """Change the text of one's own comment within `CHANGE_PERIOD`. The audit log keeps the earlier text.

    Raises `BadInput` for an empty text or a comment that is too old or withdrawn, `NotFound`, `Forbidden`.
    """
    text = _parse_comment(text)
    known, now = _changeable_comment(acting, number, id), acting.product.now()
    if text == known.text:
        return change_result(known)
    corrected = replace(known, text=text, changed_at=to_milliseconds(now))
    _put_changed_comment(acting, known, corrected)
    return change_result(corrected, AuditLine(f"case:{number}", {"comment": known.text}, {"comment": text}))


@audited("case.withdraw_comment")
def withdraw_comment(acting: Acting, number: int, id: str) -> ChangeResult[Comment]:
    """Withdraw one's own comment within `CHANGE_PERIOD`. Its place and time stay, and the audit log keeps its text.

    Raises `BadInput` for a comment that is too old or withdrawn, `NotFound`, `Forbidden`.
    """
    known, now = _changeable_comment(acting, number, id), acting.product.now()
    withdrawn = replace(known, text="", withdrawn_at=to_milliseconds(now))
    _put_changed_comment(acting, known, withdrawn)
    return change_result(withdrawn, AuditLine(f"case:{number}", old={"comment": known.text}))


def is_changeable(acting: Acting, comment: Comment) -> bool:
    """Return whether this user may correct or withdraw the comment now."""
    is_own = comment.by == acting.who and comment.withdrawn_at is None
    return is_own and acting.may(Right.COMMENT) and acting.product.now() < comment.at + CHANGE_PERIOD


def _parse_comment(text: str) -> str:
    text = text.strip()[:MAX_COMMENT_CHARACTERS]
    if not text:
        raise BadInput("cases.empty_comment")
    return text


def _changeable_comment(acting: Acting, number: int, id: str) -> Comment:
    acting.require(Right.COMMENT)
    comment = next((one for one in acting.product.store.comments.of_case(number) if one.id == id), None)
    if comment is None:
        raise NotFound("cases.no_comment", number=number, id=id[:40])
    if comment.by != acting.who:
        raise Forbidden("cases.others_comment", by=comment.by)
    if not is_changeable(acting, comment):
        raise BadInput("cases.comment_stands", hours=CHANGE_PERIOD // timedelta(hours=1))
    return comment


def _put_changed_comment(acting: Acting, known: Comment, changed: Comment) -> None:
    if not acting.product.store.comments.change(known, changed):
        raise Conflict("cases.comment_changed")


COMMENTS = TableSpec(
    name="comments",
    schema=schema_of(Comment, terms={"bsonType": "array"}),  # search terms
    indexes=(field_index("case_number", "-at", "_id"), field_index("terms", "-at", "_id")),
)


class Comments(Records[Comment]):
    """Store comments by case."""

    declared = COMMENTS
    record_type = Comment

    def complete_old(self) -> None:
        """Add search terms to comments of earlier versions. This is fast if there are none."""
        while old := self.table.some({"terms": None}, limit=BATCH_DOCUMENTS):
            self.table.write_all(
                [
                    UpdateOne({"_id": document["_id"]}, {"$set": {"terms": _comment_terms(document["text"])}})
                    for document in old
                ]
            )

    def add(self, case_number: int, *, by: str, text: str, moment: datetime) -> Comment:
        comment = Comment(
            id=secrets.token_hex(8), case_number=case_number, by=by, at=to_milliseconds(moment), text=text
        )
        self.table.insert(to_document(comment) | {"terms": _comment_terms(text)})
        return comment

    def change(self, known: Comment, changed: Comment) -> bool:
        """Replace a comment. Returns False if it was changed since it was read."""
        values = {name: value for name, value in to_document(changed).items() if name != "_id"}
        as_read = {"_id": known.id, "text": known.text, "withdrawn_at": None}
        return self.table.update(as_read, {"$set": values | {"terms": _comment_terms(changed.text)}})

    def of_case(self, number: int, *, limit: int = 200) -> list[Comment]:
        """Return the newest comments of a case, oldest first."""
        newest = self.table.some({"case_number": number}, sort=[("at", -1), ("_id", 1)], limit=limit)
        return [from_document(Comment, document) for document in reversed(newest)]

    def search(self, query: str, limit: int) -> list[Comment]:
        """Return the comments that contain all words of the query, newest first."""
        conditions = term_conditions(query)
        if not conditions:
            return []
        return self._read_some({"$and": conditions}, sort=[("at", -1), ("_id", 1)], limit=limit)


def _comment_terms(text: str) -> list[str]:
    return search_terms(text, most=len(text) * 2)  # no limit in effect


# Amounts of money: claimed, offered, agreed, paid, and what the case cost.


MAX_AMOUNT_CENTS: Final = 10**13  # a float holds its hundredths exactly
MAX_AMOUNT_NOTE_CHARACTERS: Final = 500
DEFAULT_CURRENCY: Final = "CNY"
_CURRENCY: Final = re.compile(r"[A-Z]{3}")


@audited("case.add_amount")
def add_amount(
    acting: Acting,
    number: int,
    kind: AmountKind,
    amount: str,
    *,
    currency: str = DEFAULT_CURRENCY,
    day: date | None = None,
    note: str | None = None,
) -> ChangeResult[Amount]:
    """Record an amount of money of a case. day: in China, by default today.

    Raises `BadInput` for no amount, no currency or a day to come, `NotFound`, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    store, now = acting.product.store, acting.product.now()
    case, today = store.cases.get(str(number)), china_day(now)
    if not _CURRENCY.fullmatch(currency := currency.strip().upper()):
        raise BadInput("cases.no_currency", given=currency)
    if (day := day or today) > today:
        raise BadInput("cases.amount_to_come", day=day.isoformat())
    added = Amount(
        id=secrets.token_hex(8),
        case_number=case.number,
        page_host=case.page_host,
        kind=kind,
        currency=currency,
        cents=_read_cents(amount),
        day=day.isoformat(),
        note=(note or "").strip()[:MAX_AMOUNT_NOTE_CHARACTERS] or None,
        by=acting.who,
        at=now,
    )
    store.amounts.add(added)
    return change_result(added, AuditLine(f"case:{number}", new=_describe_amount(added)))


@audited("case.remove_amount")
def remove_amount(acting: Acting, number: int, id: str) -> ChangeResult[None]:
    """Remove an amount that was recorded by mistake. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.PROCEED)
    amounts = acting.product.store.amounts
    removed = next((amount for amount in amounts.of_case(number) if amount.id == id), None)
    if removed is None or not amounts.remove(id):
        raise NotFound("cases.no_amount", id=id, number=number)
    return change_result(None, AuditLine(f"case:{number}", old=_describe_amount(removed)))


def _read_cents(text: str) -> int:
    """Return an amount in hundredths. Thousands may be separated.

    >>> _read_cents(" 12,000.5 ")
    1200050
    """
    try:
        cents = Decimal(text.replace(",", "").replace("，", "").replace(" ", "")) * 100
        good = 0 < cents <= MAX_AMOUNT_CENTS and cents == int(cents)
    except (InvalidOperation, ValueError, OverflowError):
        good = False
    if not good:
        raise BadInput("cases.bad_amount", given=text[:40], most=MAX_AMOUNT_CENTS // 100)
    return int(cents)


def _describe_amount(amount: Amount) -> dict[str, str | None]:
    money = f"{amount.amount:.2f} {amount.currency}"
    return {"kind": amount.kind.value, "amount": money, "day": amount.day, "note": amount.note}


AMOUNTS = TableSpec(
    name="amounts",
    schema=schema_of(Amount),
    indexes=(field_index("case_number", "day", "_id"), field_index("day"), field_index("page_host")),
)


class Amounts(Records[Amount]):
    """Store amounts of money by case."""

    declared = AMOUNTS
    record_type = Amount

    def add(self, amount: Amount) -> None:
        self.table.insert(to_document(amount))

    def of_case(self, number: int) -> list[Amount]:
        """Return the amounts of a case, the earliest first."""
        return self._read_some({"case_number": number}, sort=[("day", 1), ("_id", 1)])

    def remove(self, id: str) -> bool:
        """Remove an amount. Returns False if there is none with this id."""
        return bool(self.table.delete({"_id": id}))
