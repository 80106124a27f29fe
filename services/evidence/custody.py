"""The chain of custody: who had a case in hand, by the lines of the audit log, each with its hash."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

from services.context import Product
from services.reporting.report_contents import EXPORTED
from store.number_ranges import may_name
from store.records import AuditEntry, Capture, Case, Exhibit

_TOLD: Final = 1_000  # lines of each kind, the newest
# What took a notice's cases out of the house, and what came back to it.
_LEFT_BY: Final = ("notice.bundle", "notice.mail", "notice.send", "notice.follow", "notice.reply", "notice.delivery")
# What people say to each other stays in the house; that they did is told, with the hash of the line that holds it.
_SAID: Final = frozenset({"case.comment", "case.ask"})
_NUMBERS: Final = re.compile(r'\{"numbers": "([^"]*)"')  # the log cuts a long line short, behind them


def custody(product: Product, case: Case, capture: Capture, exhibit: Exhibit) -> list[dict[str, Any]]:
    """The crawl, then who looked at the case and what was done with it, every report and notice that it left in, what
    came back by mail, and this exhibit. Of comments it tells that they were made, never what they say.
    """
    lines = sorted(_lines(product, case), key=lambda one: one.number)
    return [
        {"at": moment(capture.fetched_at), "who": "wenhen", "did": "capture.fetch", "of": capture.url},
        {"at": moment(case.opened_at), "who": "wenhen", "did": "case.open", "of": f"case:{case.number}"},
        *(
            {
                "at": moment(one.at),
                "who": one.who,
                "did": one.action,
                "of": one.subject,
                "new": None if one.action in _SAID else one.new,
                "line": one.number,
                "hash": one.hash,
            }
            for one in lines
        ),
        {"at": moment(exhibit.wanted_at), "who": exhibit.by, "did": f"exhibit.{exhibit.why}", "of": exhibit.id},
    ]


def moment(at: datetime | None) -> str | None:
    """As an exhibit writes it: UTC, to the millisecond."""
    return None if at is None else at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _lines(product: Product, case: Case) -> Iterator[AuditEntry]:
    audit = product.store.audit
    yield from audit.find(subject=f"case:{case.number}", limit=_TOLD)
    exported = audit.find(subject=EXPORTED, since=case.opened_at, limit=_TOLD)
    yield from (one for one in exported if _names(one, case.number))
    for notice in islice(product.store.notices.of_cases([case.number]), _TOLD):
        done = audit.find(subject=f"notice:{notice.id}", limit=_TOLD)
        yield from (one for one in done if one.action in _LEFT_BY)


def _names(exported: AuditEntry, number: int) -> bool:
    """Whether a report held the case; nobody knows it of those that earlier releases made."""
    numbers = _NUMBERS.match(exported.new or "")
    return numbers is not None and may_name(numbers[1], number)
