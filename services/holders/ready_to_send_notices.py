"""Whether the holders of the works of some cases can send a notice: known, and with papers that are valid that day."""

from collections.abc import Collection
from datetime import datetime
from functools import reduce

from services.context import Product
from services.holders.holders import known_holder
from store.errors import BadInput
from store.messages import Message, message
from store.records import Case
from store.rules.china_time import day_of
from store.rules.library.holder_papers import lacks


def require_ready(product: Product, cases: Collection[Case], at: datetime) -> None:
    """Raise `BadInput`, which says what is missing or out of date on that day, unless the holder of each case's work
    can send a notice.
    """
    works = product.store.works.many({case.work_id for case in cases})
    for case in cases:
        work = works.get(case.work_id)
        if work is None or not work.owner:
            raise BadInput("holders.nobody", number=case.number)
    for name in sorted({works[case.work_id].owner or "" for case in cases}):
        if lacking := lacks(known_holder(product, name), day_of(at)):
            raise BadInput("holders.not_ready", holder=name, lacks=reduce(_and, (one.said for one in lacking)))


def _and(first: Message, more: Message) -> Message:
    return message("holders.and", first=first, more=more)
