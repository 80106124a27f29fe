"""Record and store the amounts of money of a case: claimed, offered, agreed, paid, and what it cost."""

import re
import secrets
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Final

from wenhen.cases.model import Amount, AmountKind
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, audited, change_result
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.mongo.codec import schema_of, to_document
from wenhen.kit.mongo.table import Records, TableSpec, field_index
from wenhen.kit.rights import Right

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
