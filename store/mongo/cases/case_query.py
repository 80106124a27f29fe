"""Which cases are wanted, as MongoDB is asked; and the indexes that answer it.

A list is filtered by any mixture of conditions. The wide indexes hold every field that a condition may name, so that
what does not fit is passed over without reading the case itself; the narrow ones serve conditions that few cases pass.
"""

from collections.abc import Iterator
from typing import Any

from pymongo import IndexModel

from store.mongo.engine.codec import Document, milliseconds
from store.mongo.engine.table import index
from store.mongo.engine.terms import found_by, stands_alone, wanted
from store.records import CaseConditions, CaseOrder, CaseStatus
from store.rules.cases.case_order import SORTINGS, Sorting
from store.rules.cases.case_path import INFRINGING, NO_COPY, PURSUED

DAY = 24 * 3600 * 1000  # milliseconds, in which the server reckons
WIDE = (
    "page_host",
    "work_id",
    "page_id",
    "cluster_id",
    "match.level",
    "licensed",
    "credited",
    "present",
    "match.score",
    "match.share_of_page",
    "match.share_of_work",
    "assignee",
    "assigned",
    "opened_at",
    "worth",
)


def _wide(name: str, *first: str) -> IndexModel:
    """An index that is ordered by its first fields and holds all others; a leading `-` turns the order."""
    keys = [(key.removeprefix("-"), -1 if key.startswith("-") else 1) for key in first]
    leading = {key for key, _ in keys}
    return IndexModel([*keys, *((key, 1) for key in ("status", *WIDE) if key not in leading)], name=name)


INDEXES = (
    index("number", unique=True),
    _wide("listed", "-number"),
    _wide("listed_status", "status", "-number"),
    _wide("listed_worth", "-worth", "-number"),
    _wide("listed_worth_status", "status", "-worth", "-number"),
    _wide("listed_largest", "-match.share_of_page", "-number"),
    _wide("listed_largest_status", "status", "-match.share_of_page", "-number"),
    _wide("listed_likeliest", "-match.score", "-number"),
    _wide("listed_likeliest_status", "status", "-match.score", "-number"),
    _wide("listed_host", "page_host", "-number"),
    _wide("listed_work", "work_id", "-number"),
    _wide("listed_assignee", "assignee", "-number"),
    _wide("listed_present", "present", "-number"),
    _wide("listed_licensed", "licensed", "-number"),
    _wide("listed_assigned", "assigned", "-number"),
    _wide("listed_opened", "opened_at", "-number"),
    index("work_id", "-worth", "-number"),
    index("work_id", "-match.share_of_page", "-number"),
    index("work_id", "-match.score", "-number"),
    index("page_id", "-number"),
    index("cluster_id", "-number"),
    index("terms", "-number", "status"),
    # Those with a deadline, which are few.
    IndexModel(
        [("deadline", 1), ("number", -1)], name="deadline", partialFilterExpression={"deadline": {"$type": "date"}}
    ),
    # Those that were removed, which are few, with what tells whether they are back.
    IndexModel(
        [("status", 1), ("present", 1), ("capture.fetched_at", 1), ("decided_at", 1)],
        name="returned",
        partialFilterExpression={"status": CaseStatus.REMOVED.value},
    ),
    # Those of which a notice was sent, which are few.
    IndexModel(
        [("opened_at", 1)],
        name="noticed",
        partialFilterExpression={"history.status": CaseStatus.NOTICE_SENT.value},
    ),
    IndexModel([("wakes_at", 1)], name="wakes", partialFilterExpression={"wakes_at": {"$type": "date"}}),
    IndexModel([("asked", 1), ("number", -1)], name="asked", partialFilterExpression={"asked": {"$type": "string"}}),
    index("batch"),
    index("licence_id", "credited", "-number"),
    index("updated_at"),
    # The figures over all cases.
    index("licensed", "status", "page_host"),
    index("licensed", "status", "match.share_of_page"),
    index("present", "status"),
)
_OF_MATCH = {"share_of_page", "score"}  # figures that a case has from its match


def _keys(sorting: Sorting) -> list[tuple[str, int]]:
    """What MongoDB sorts by."""
    field = f"match.{sorting.by}" if sorting.by in _OF_MATCH else sorting.by
    first = (field, -1 if sorting.largest_first else 1)
    return [first] if field == "number" else [first, ("number", -1)]


ORDERS = {order: _keys(sorting) for order, sorting in SORTINGS.items()}
_FEW = {"licence_id", "work_id", "page_id", "cluster_id", "text", "numbers", "asked"}  # conditions that few cases pass
BY_WORD = "terms_1_number_-1_status_1"
# By the only condition: the index in which the cases of one status stand together.
_OF_STATUS = {
    frozenset[str](): "listed_status",
    frozenset({"confirmed"}): "listed_status",
    frozenset({"present"}): "present_1_status_1",
    frozenset({"licensed"}): "licensed_1_status_1_page_host_1",
    frozenset({"copies"}): "licensed_1_status_1_page_host_1",
}
_BY_ORDER = {
    CaseOrder.WORTH: "listed_worth",
    CaseOrder.LARGEST: "listed_largest",
    CaseOrder.LIKELIEST: "listed_likeliest",
}
_RANGES = {
    "listed_opened": ("opened_at", {"since", "until"}),
    "listed_largest": ("match.share_of_page", {"share_from", "share_to"}),
    "listed_likeliest": ("match.score", {"score_from", "score_to"}),
}
_LEADING = {
    "listed": "number",
    "listed_worth": "worth",
    "listed_largest": "match.share_of_page",
    "listed_likeliest": "match.score",
}
COPIES = {"$in": [one.value for one in CaseStatus if one not in NO_COPY]}
CONFIRMED = {"$in": [one.value for one in INFRINGING]}
MOST = 2**63 - 1  # the largest whole number that MongoDB knows


def filter_of(where: CaseConditions, order: CaseOrder = CaseOrder.NEWEST) -> Document:
    """The conditions as a filter; an order may leave cases out, see the port."""
    filter, also = _of_one_field(where), [*_further(where)]
    if order is CaseOrder.DEADLINE:
        also.append({"deadline": {"$type": "date"}})
    # A wide index is thought of only when its first field is asked for; these are true of every case.
    leading = _LEADING.get(hint_of(where, order) or "")
    if leading and leading not in filter:
        also.append({leading: {"$gte": 0}})
    return {**filter, "$and": also} if also else filter


def _of_one_field(where: CaseConditions) -> Document:
    """The conditions that a field has a value, or one of a range."""
    equal: dict[str, Any] = {
        "status": where.get("status"),
        "page_host": where.get("host"),
        "work_id": where.get("work_id"),
        "page_id": where.get("page_id"),
        "cluster_id": where.get("cluster_id"),
        "match.level": where.get("level"),
        "licensed": where.get("licensed"),
        "licence_id": where.get("licence_id"),
        "credited": where.get("credited"),
        "present": where.get("present"),
        "asked": where.get("asked"),
        "match.score": _range(where.get("score_from"), where.get("score_to")),
        "match.share_of_page": _range(where.get("share_from"), where.get("share_to")),
        "opened_at": _range(where.get("since"), where.get("until")),
        "number": _range(None if (above := where.get("above")) is None else above + 1, where.get("below")),
    }
    filter = {name: getattr(value, "value", value) for name, value in equal.items() if value is not None}
    if (assignee := where.get("assignee")) is not None:
        filter |= {"assignee": assignee} if assignee else {"assigned": False}
    return filter


def _further(where: CaseConditions) -> Iterator[Document]:
    """The others, which take a field that has one already, or more than one."""
    if (hosts := where.get("hosts")) is not None:
        yield {"page_host": {"$in": list(hosts)}}
    if where.get("copies"):
        yield {"status": COPIES}
        yield {"licensed": False}
    if where.get("confirmed"):
        yield {"status": CONFIRMED}
    if where.get("removal"):
        yield {"status": {"$in": [one.value for one in PURSUED]}}
        yield {"present": False}
    if where.get("returned"):
        yield {"status": CaseStatus.REMOVED.value}
        yield {"present": True}
        yield {"$expr": {"$gt": ["$capture.fetched_at", "$decided_at"]}}
    if where.get("asked") is not None:
        yield {"asked": {"$type": "string"}}
    if text := where.get("text"):
        yield from found_by(text) or [{"number": 0}]
    if (numbers := where.get("numbers")) is not None:
        yield {"number": {"$in": [number for number in numbers if number <= MOST]}}


def ranges_of(where: CaseConditions) -> dict[str, Document]:
    """The ranges that are asked for, each as a filter, by the name of the index that begins with it; none where a
    condition that few cases pass, or one with an index of its own, cuts out less.
    """
    given = {name for name, value in where.items() if value is not None}
    if given & _FEW or given & {"host", "hosts"} or where.get("assignee") or _rare(where, given):
        return {}
    filter = _of_one_field(where)
    return {name: {field: filter[field]} for name, (field, bounds) in _RANGES.items() if given & bounds}


def hint_of_keys(where: CaseConditions, order: CaseOrder) -> str | None:
    """The same as `hint_of` where an index holds all that is asked for: what few cases pass is sorted in memory, which
    is quicker than to walk an order to its end.
    """
    given = {name for name, value in where.items() if value is not None}
    rare = None if given & _FEW or order not in _BY_ORDER else _rare(where, given)
    return rare or hint_of(where, order)


def hint_of(where: CaseConditions, order: CaseOrder = CaseOrder.NEWEST) -> str | None:
    """The name of the wide index to use; None where a condition that few cases pass has an index of its own.

    An index that begins with a condition reads only what passes it, so for a list by number the rarest is chosen; what
    a range cuts out is few enough to be sorted afterwards.
    """
    if order is CaseOrder.DEADLINE:
        return "deadline"
    given = {name for name, value in where.items() if value is not None}
    if few := given & _FEW:
        # Left to itself, the server would rather walk the order than sort what one sign finds.
        by_word = few == {"text"} and order in _BY_ORDER and stands_alone(where["text"] or "")
        return BY_WORD if by_word else None
    if order in _BY_ORDER:
        return _BY_ORDER[order] + ("_status" if "status" in given else "")
    return _by_number(where, given)


def narrow_hint_of(where: CaseConditions) -> str | None:
    """The name of an index in which the cases of one status that fit can be counted without a look at each."""
    return _OF_STATUS.get(frozenset(name for name, value in where.items() if value is not None))


def hint_of_groups(where: CaseConditions) -> str | None:
    """The same as `hint_of` for cases grouped by status, which the index of a single word holds as well."""
    given = {name for name, value in where.items() if value is not None}
    return BY_WORD if given == {"text"} and len(wanted(where["text"] or "")) == 1 else hint_of(where)


def _rare(where: CaseConditions, given: set[str]) -> str | None:
    """The index that begins with a condition that few cases pass."""
    begins = {
        "listed_host": given & {"host", "hosts"},
        "listed_present": where.get("removal") or where.get("present") is False,
        "listed_licensed": where.get("licensed"),
    }
    return next((name for name, it_does in begins.items() if it_does), None)


def _by_number(where: CaseConditions, given: set[str]) -> str | None:
    if given & {"host", "hosts"} or where.get("assignee"):
        return None
    begins = {
        "returned": where.get("returned"),
        "listed_present": where.get("removal") or where.get("present") is False,
        "listed_licensed": where.get("licensed"),
        "listed_assigned": "assignee" in given,
        **{name: given & bounds for name, (_, bounds) in _RANGES.items()},
        "listed_status": given & {"status"},
    }
    name = next((name for name, it_does in begins.items() if it_does), "listed")
    return f"{name}_status" if "status" in given and name in _BY_ORDER.values() else name


def _range(least: Any, below: Any) -> Document | None:
    bounds = {"$gte": least, "$lt": below}
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    return {name: milliseconds(b) if hasattr(b, "tzinfo") else b for name, b in given.items()} or None
