"""Translate conditions on cases into MongoDB filters, and choose the index for each.

Lists are filtered by any combination of conditions. A wide index contains every field that a condition may name, so the
server can skip a case without reading the document. Narrow indexes serve selective conditions.
"""

from collections.abc import Iterator
from typing import Any

from pymongo import IndexModel

from wenhen.cases.model import CaseConditions, CaseOrder, CaseStatus
from wenhen.cases.rules import CASE_SORTINGS, INFRINGING_STATUSES, NON_COPY_STATUSES, PURSUED_STATUSES, CaseSorting
from wenhen.kit.mongo.codec import Document, to_milliseconds
from wenhen.kit.mongo.table import field_index
from wenhen.kit.text import is_single_term, query_terms, term_conditions

MILLISECONDS_PER_DAY = 24 * 3600 * 1000  # MongoDB computes times in milliseconds
WIDE_INDEX_FIELDS = (
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


def _wide_index(name: str, *first: str) -> IndexModel:
    """Return an index sorted by its first fields that contains all other filter fields.

    A leading `-` in a field name means descending order.
    """
    keys = [(key.removeprefix("-"), -1 if key.startswith("-") else 1) for key in first]
    leading = {key for key, _ in keys}
    return IndexModel([*keys, *((key, 1) for key in ("status", *WIDE_INDEX_FIELDS) if key not in leading)], name=name)


CASE_INDEXES = (
    field_index("number", unique=True),
    _wide_index("listed", "-number"),
    _wide_index("listed_status", "status", "-number"),
    _wide_index("listed_worth", "-worth", "-number"),
    _wide_index("listed_worth_status", "status", "-worth", "-number"),
    _wide_index("listed_largest", "-match.share_of_page", "-number"),
    _wide_index("listed_largest_status", "status", "-match.share_of_page", "-number"),
    _wide_index("listed_likeliest", "-match.score", "-number"),
    _wide_index("listed_likeliest_status", "status", "-match.score", "-number"),
    _wide_index("listed_host", "page_host", "-number"),
    _wide_index("listed_work", "work_id", "-number"),
    _wide_index("listed_assignee", "assignee", "-number"),
    _wide_index("listed_present", "present", "-number"),
    _wide_index("listed_licensed", "licensed", "-number"),
    _wide_index("listed_assigned", "assigned", "-number"),
    _wide_index("listed_opened", "opened_at", "-number"),
    field_index("work_id", "-worth", "-number"),
    field_index("work_id", "-match.share_of_page", "-number"),
    field_index("work_id", "-match.score", "-number"),
    field_index("page_id", "-number"),
    field_index("cluster_id", "-number"),
    field_index("terms", "-number", "status"),
    # Partial index of the few cases with a deadline.
    IndexModel(
        [("deadline", 1), ("number", -1)], name="deadline", partialFilterExpression={"deadline": {"$type": "date"}}
    ),
    # Partial index of the few removed cases, with the fields that detect their return.
    IndexModel(
        [("status", 1), ("present", 1), ("capture.fetched_at", 1), ("decided_at", 1)],
        name="returned",
        partialFilterExpression={"status": CaseStatus.REMOVED.value},
    ),
    # Partial index of the few cases with a sent notice.
    IndexModel(
        [("opened_at", 1)],
        name="noticed",
        partialFilterExpression={"history.status": CaseStatus.NOTICE_SENT.value},
    ),
    IndexModel([("wakes_at", 1)], name="wakes", partialFilterExpression={"wakes_at": {"$type": "date"}}),
    IndexModel([("asked", 1), ("number", -1)], name="asked", partialFilterExpression={"asked": {"$type": "string"}}),
    field_index("batch"),
    field_index("licence_id", "credited", "-number"),
    field_index("updated_at"),
    # Indexes for statistics over all cases.
    field_index("licensed", "status", "page_host"),
    field_index("licensed", "status", "match.share_of_page"),
    field_index("present", "status"),
)
_MATCH_FIELDS = {"share_of_page", "score"}  # fields of the match


def _sort_keys(sorting: CaseSorting) -> list[tuple[str, int]]:
    """Return the sort keys for MongoDB."""
    field = f"match.{sorting.by}" if sorting.by in _MATCH_FIELDS else sorting.by
    first = (field, -1 if sorting.largest_first else 1)
    return [first] if field == "number" else [first, ("number", -1)]


SORT_KEYS = {order: _sort_keys(sorting) for order, sorting in CASE_SORTINGS.items()}
_SELECTIVE_CONDITIONS = {
    "licence_id",
    "work_id",
    "work_ids",
    "page_id",
    "cluster_id",
    "text",
    "numbers",
    "asked",
}  # selective conditions
WORD_INDEX = "terms_1_number_-1_status_1"
# Indexes for counting cases by status, by the set of conditions.
_STATUS_INDEXES = {
    frozenset[str](): "listed_status",
    frozenset({"confirmed"}): "listed_status",
    frozenset({"present"}): "present_1_status_1",
    frozenset({"licensed"}): "licensed_1_status_1_page_host_1",
    frozenset({"copies"}): "licensed_1_status_1_page_host_1",
}
_ORDER_INDEXES = {
    CaseOrder.WORTH: "listed_worth",
    CaseOrder.LARGEST: "listed_largest",
    CaseOrder.LIKELIEST: "listed_likeliest",
}
_RANGE_INDEXES = {
    "listed_opened": ("opened_at", {"since", "until"}),
    "listed_largest": ("match.share_of_page", {"share_from", "share_to"}),
    "listed_likeliest": ("match.score", {"score_from", "score_to"}),
}
_LEADING_FIELDS = {
    "listed": "number",
    "listed_worth": "worth",
    "listed_largest": "match.share_of_page",
    "listed_likeliest": "match.score",
}
COPY_STATUS_FILTER = {"$in": [status.value for status in CaseStatus if status not in NON_COPY_STATUSES]}
CONFIRMED_STATUS_FILTER = {"$in": [infringing_status.value for infringing_status in INFRINGING_STATUSES]}
MAX_INT64 = 2**63 - 1  # largest integer in MongoDB


def build_case_filter(where: CaseConditions, order: CaseOrder = CaseOrder.NEWEST) -> Document:
    """Return the MongoDB filter for the conditions.

    An order may exclude cases, as documented in `wenhen.cases.repository.Cases.find`.
    """
    filter, also = _single_field_filter(where), [*_further_filters(where)]
    if order is CaseOrder.DEADLINE:
        also.append({"deadline": {"$type": "date"}})
    # MongoDB considers an index only if the filter names its first field. This condition is always true.
    leading = _LEADING_FIELDS.get(index_for_list(where, order) or "")
    if leading and leading not in filter:
        also.append({leading: {"$gte": 0}})
    return {**filter, "$and": also} if also else filter


def _single_field_filter(where: CaseConditions) -> Document:
    """Return equality and range conditions, one per field."""
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
        "match.score": _range_filter(where.get("score_from"), where.get("score_to")),
        "match.share_of_page": _range_filter(where.get("share_from"), where.get("share_to")),
        "opened_at": _range_filter(where.get("since"), where.get("until")),
        "number": _range_filter(None if (above := where.get("above")) is None else above + 1, where.get("below")),
    }
    filter = {name: getattr(value, "value", value) for name, value in equal.items() if value is not None}
    if (assignee := where.get("assignee")) is not None:
        filter |= {"assignee": assignee} if assignee else {"assigned": False}
    return filter


def _further_filters(where: CaseConditions) -> Iterator[Document]:
    """Yield conditions on a field that already has one, or on several fields."""
    if (hosts := where.get("hosts")) is not None:
        yield {"page_host": {"$in": list(hosts)}}
    if (work_ids := where.get("work_ids")) is not None:
        yield {"work_id": {"$in": list(work_ids)}} if work_ids else {"number": 0}
    if where.get("copies"):
        yield {"status": COPY_STATUS_FILTER}
        yield {"licensed": False}
    if where.get("confirmed"):
        yield {"status": CONFIRMED_STATUS_FILTER}
    if where.get("removal"):
        yield {"status": {"$in": [pursued_status.value for pursued_status in PURSUED_STATUSES]}}
        yield {"present": False}
    if where.get("returned"):
        yield {"status": CaseStatus.REMOVED.value}
        yield {"present": True}
        yield {"$expr": {"$gt": ["$capture.fetched_at", "$decided_at"]}}
    if where.get("asked") is not None:
        yield {"asked": {"$type": "string"}}
    if text := where.get("text"):
        yield from term_conditions(text) or [{"number": 0}]
    if (numbers := where.get("numbers")) is not None:
        yield {"number": {"$in": [number for number in numbers if number <= MAX_INT64]}}


def range_filters(where: CaseConditions) -> dict[str, Document]:
    """Return the range conditions by the name of the index that starts with their field.

    The result is empty if a selective condition, or one with its own index, narrows the result more.
    """
    names = {name for name, value in where.items() if value is not None}
    if (
        names & _SELECTIVE_CONDITIONS
        or names & {"host", "hosts"}
        or where.get("assignee")
        or _selective_index(where, names)
    ):
        return {}
    filter = _single_field_filter(where)
    return {name: {field: filter[field]} for name, (field, bounds) in _RANGE_INDEXES.items() if names & bounds}


def index_for_keys(where: CaseConditions, order: CaseOrder) -> str | None:
    """Return the index for `CaseKey` queries, as `index_for_list` does, but prefer a selective index.

    The keys are covered by the index. Sorting few keys in memory is faster than scanning a whole order.
    """
    names = {name for name, value in where.items() if value is not None}
    rare = None if names & _SELECTIVE_CONDITIONS or order not in _ORDER_INDEXES else _selective_index(where, names)
    return rare or index_for_list(where, order)


def index_for_list(where: CaseConditions, order: CaseOrder = CaseOrder.NEWEST) -> str | None:
    """Return the name of the wide index to use. None if a selective condition has its own index.

    An index that starts with a condition reads only matching cases. So a list sorted by number uses the most selective
    one. The cases of a range are few enough to sort afterwards.
    """
    if order is CaseOrder.DEADLINE:
        return "deadline"
    names = {name for name, value in where.items() if value is not None}
    if few := names & _SELECTIVE_CONDITIONS:
        # Without a hint, the server would scan the sort order instead of sorting the few cases of a term.
        by_word = few == {"text"} and order in _ORDER_INDEXES and is_single_term(where["text"] or "")
        return WORD_INDEX if by_word else None
    if order in _ORDER_INDEXES:
        return _ORDER_INDEXES[order] + ("_status" if "status" in names else "")
    return _number_index(where, names)


def index_for_count(where: CaseConditions) -> str | None:
    """Return an index that counts matching cases of a status without reading documents, or None."""
    return _STATUS_INDEXES.get(frozenset(name for name, value in where.items() if value is not None))


def index_for_groups(where: CaseConditions) -> str | None:
    """Return the index for grouping by status. For a single search term, the term index covers the query."""
    names = {name for name, value in where.items() if value is not None}
    return WORD_INDEX if names == {"text"} and len(query_terms(where["text"] or "")) == 1 else index_for_list(where)


def _selective_index(where: CaseConditions, names: set[str]) -> str | None:
    """Return the index that starts with a selective condition, or None."""
    begins = {
        "listed_host": names & {"host", "hosts"},
        "listed_present": where.get("removal") or where.get("present") is False,
        "listed_licensed": where.get("licensed"),
    }
    return next((name for name, it_does in begins.items() if it_does), None)


def _number_index(where: CaseConditions, names: set[str]) -> str | None:
    if names & {"host", "hosts"} or where.get("assignee"):
        return None
    begins = {
        "returned": where.get("returned"),
        "listed_present": where.get("removal") or where.get("present") is False,
        "listed_licensed": where.get("licensed"),
        "listed_assigned": "assignee" in names,
        **{name: names & bounds for name, (_, bounds) in _RANGE_INDEXES.items()},
        "listed_status": names & {"status"},
    }
    name = next((name for name, it_does in begins.items() if it_does), "listed")
    return f"{name}_status" if "status" in names and name in _ORDER_INDEXES.values() else name


def _range_filter(least: Any, below: Any) -> Document | None:
    bounds = {"$gte": least, "$lt": below}
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    return {name: to_milliseconds(b) if hasattr(b, "tzinfo") else b for name, b in given.items()} or None
