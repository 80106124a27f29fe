"""What browsers tell of a page of ours that broke the Content Security Policy: somebody tries a hole, or we slipped."""

import json
import logging
from collections.abc import Iterator
from typing import Any, Final

from flask import Blueprint, abort, request

from dashboard.frame.permissions import open_to_all
from dashboard.frame.rate_limits import limiter
from dashboard.frame.security_headers import REPORTS

blueprint = Blueprint("policy_reports", __name__)
logger = logging.getLogger(__name__)

_TOLD: Final = (  # the words of the Reporting API, and those of the older `report-uri`
    ("effectiveDirective", "effective-directive"),
    ("blockedURL", "blocked-uri"),
    ("documentURL", "document-uri"),
    ("sourceFile", "source-file"),
    ("lineNumber", "line-number"),
)
_LONGEST: Final = 200  # characters of each
_MOST: Final = 10  # of one request


@blueprint.post(REPORTS)
@open_to_all
@limiter.limit("30 per minute")
def take() -> tuple[str, int]:
    """Write a line into the log for each; nothing is kept, as anybody may send them."""
    try:
        sent = json.loads(request.get_data())
        for one in list(_reports(sent))[:_MOST]:
            logger.warning("a page broke the policy: %s", _told(one))
    except (ValueError, RecursionError, AttributeError):
        abort(400)
    return "", 204


def _reports(sent: Any) -> Iterator[Any]:
    if isinstance(sent, list):
        yield from (one["body"] for one in sent if isinstance(one, dict) and isinstance(one.get("body"), dict))
    else:
        yield sent.get("csp-report", sent)


def _told(report: dict[str, Any]) -> str:
    """What happened, in one line that holds nothing but printable characters."""
    values = (next((report[name] for name in names if name in report), None) for names in _TOLD)
    pairs = ((names[0], ascii(value)[:_LONGEST]) for names, value in zip(_TOLD, values, strict=True) if value)
    return ", ".join(f"{name} {value}" for name, value in pairs)
