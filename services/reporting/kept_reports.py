"""Reports that take long: asked for under a name, made in the background, kept until they are removed.

Not here: how a report is written; whoever makes what is due hands that in.
"""

import secrets
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final, Unpack

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.kept_conditions import conditions
from services.kept_conditions import kept as as_kept
from services.reporting.report_contents import EXPORTED
from services.reporting.report_file import Write, export
from store.errors import BadInput, Conflict, NotFound, Unavailable, WenhenError
from store.failures import failure
from store.messages import Message
from store.records import CaseConditions, KeptReport, LeftFile
from store.rules.backoff import Pauses
from store.rules.china_time import day_of
from store.rules.role_rights import Right

FORMATS: Final = ("pdf", "xlsx", "csv", "json")
NAME_LENGTH: Final = 100
SHOWN: Final = 50
_OF_ONE_TASK: Final = 5
_LEASE: Final = timedelta(minutes=20)  # longer than the writing of one may take
_PAUSES: Final = Pauses(timedelta(minutes=1), timedelta(hours=1))
_TOLD: Final = 200  # characters of a failure


@audited("report.ask")
def ask(
    acting: Acting, name: str, format: str, *, case_ids: Collection[str] = (), **where: Unpack[CaseConditions]
) -> Changed[KeptReport]:
    """Have a report made of the cases that pass the filter, or of those named by number. BadInput for an empty name or
    a form that there is none of; NotFound for a case that does not exist; Forbidden.
    """
    acting.require(Right.EXPORT)
    name = " ".join(name.split())[:NAME_LENGTH]
    if not name or format not in FORMATS:
        raise BadInput("reports.unnamed")
    product = acting.product
    for id in case_ids:
        product.store.cases.get(id)
    now = product.now()
    kept = KeptReport(
        id=secrets.token_hex(8),
        name=name,
        format=format,
        by=acting.who,
        wanted_at=now,
        where=as_kept(where),
        case_ids=tuple(dict.fromkeys(case_ids)),
        due=now,
    )
    product.store.kept_reports.put(kept)
    with suppress(Unavailable):  # the sweep sends it
        product.queue.reports()
    return changed(kept, Line(f"report:{kept.id}", new={"name": name, "format": format}))


@audited("report.hand_out")
def hand_out(acting: Acting, id: str) -> Changed[tuple[KeptReport, bytes]]:
    """A kept report and its file. NotFound: there is none, or it is not made yet; Forbidden."""
    acting.require(Right.EXPORT)
    kept = acting.product.store.kept_reports.get(id)
    if kept.file_digest is None:
        raise NotFound("reports.not_made", name=kept.name)
    content = acting.product.store.blobs.get(kept.file_digest)
    file = LeftFile.of(file_name(kept), content).told()
    lines = [Line(f"report:{id}", new=file)]
    if kept.numbers:  # what its cases have in their custody
        lines.append(Line(EXPORTED, new={"numbers": kept.numbers, "report": kept.name, **file}))
    return changed((kept, content), *lines)


def file_name(kept: KeptReport) -> str:
    """The report's name with the day of its making, and its form."""
    return f"{kept.name}-{day_of(kept.made_at or kept.wanted_at):%Y%m%d}.{kept.format}"


@audited("report.remove")
def remove(acting: Acting, id: str) -> Changed[None]:
    """Keep it no longer, or make it no more. NotFound; Forbidden but for who asked, and administrators."""
    acting.require(Right.EXPORT)
    kept = acting.product.store.kept_reports.get(id)
    if kept.by != acting.who:
        acting.require(Right.USERS)
    _drop(acting.product, kept)
    return changed(None, Line(f"report:{id}", old=kept.name))


def forget_old(product: Product) -> None:
    """Drop those that were made longer ago than `report.keep_days`."""
    if days := product.settings.report.keep_days:
        for kept in product.store.kept_reports.made_before(product.now() - timedelta(days=days)):
            _drop(product, kept)


def have_made(product: Product) -> None:
    """Have made what is due and nobody makes."""
    if product.store.kept_reports.has_due(product.now()):
        product.queue.reports()


def make_due(product: Product, write: Write) -> None:
    """Make what is due; what fails is tried again after a growing pause, and given up in the end."""
    for _ in range(_OF_ONE_TASK):
        now = product.now()
        kept = product.store.kept_reports.claim(now, now + _LEASE)
        if kept is None:
            return
        try:
            _make(product, kept, write)
        except Exception as error:  # noqa: BLE001  whatever keeps one from being made keeps no other
            _failed(product, kept, error)


def _make(product: Product, kept: KeptReport, write: Write) -> None:
    acting = Acting(product, kept.by, frozenset({Right.EXPORT}))

    def told(done: int, of: int) -> None:
        until = product.now() + _LEASE
        if not product.store.kept_reports.progress(kept.id, done=done, of=of, until=until):
            raise Conflict("reports.no_kept", id=kept.id)

    now = product.now()
    name = file_name(replace(kept, made_at=now))
    where = conditions(kept.where)
    file = export(acting, kept.format, write, name=name, case_ids=kept.case_ids or None, told=told, **where)
    cases = file.report.totals.cases
    told(cases, cases)  # nobody has removed it meanwhile
    product.store.kept_reports.put(
        replace(
            kept,
            due=None,
            problem=None,
            done=cases,
            of=cases,
            cases=cases,
            numbers=file.numbers,
            made_at=now,
            file_digest=product.store.blobs.put(file.content),
            size=len(file.content),
        )
    )


def _failed(product: Product, kept: KeptReport, error: Exception) -> None:
    try:
        product.store.kept_reports.get(kept.id)
    except NotFound:  # removed while it was made
        return
    # Another try helps nothing against what the report itself, or this machine, lacks.
    hopeless = isinstance(error, WenhenError) and not isinstance(error, Unavailable)
    last = hopeless or kept.tries >= product.settings.worker.max_tries
    due = None if last else product.now() + _PAUSES.after(kept.tries)
    problem: Message = error.message if isinstance(error, WenhenError) else failure(error, _TOLD)
    product.store.kept_reports.put(replace(kept, due=due, problem=problem))


def _drop(product: Product, kept: KeptReport) -> None:
    product.store.kept_reports.remove(kept.id)
    if kept.file_digest is not None and not product.store.kept_reports.of_file(kept.file_digest):
        product.store.blobs.drop([kept.file_digest], product.now())
