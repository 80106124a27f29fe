"""What a job found as JSON lines, without what is another in each run: numbers, moments, clusters."""

import json
from typing import Any, Final

from store.records import Case, Match
from store.snapshot.record_json import as_json

# Of a case and of its match. How often a page was read, and under which fingerprints it stands, the store alone knows.
PASSING: Final = frozenset(
    (
        "number",
        "opened_at",
        "updated_at",
        "cluster_id",
        "matched_at",
        "page_version",
        "page_fingerprints",
        "work_fingerprints",
    )
)


def case_line(case: Case) -> str:
    """A case, as the queues open it too."""
    (found,) = json.loads(as_json(Case, [case]))
    return _line(found)


def match_line(match: Match) -> str:
    """What two works share."""
    (found,) = json.loads(as_json(Match, [match]))
    return _line(found)


def _line(found: Any) -> str:
    return json.dumps(_lasting(found), ensure_ascii=False)


def _lasting(found: Any) -> Any:
    if not isinstance(found, dict):
        return found
    return {name: _lasting(value) for name, value in found.items() if name not in PASSING}
