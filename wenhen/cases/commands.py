"""Define `wenhen cases` and `wenhen calibration`."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

import click

from matcher.model import Level
from wenhen.alerts.mentions import CommentOutcome, comment_on_case, correct_own_comment
from wenhen.cases.comments_and_amounts import DEFAULT_CURRENCY, add_amount, remove_amount, withdraw_comment
from wenhen.cases.decisions import ask_second_opinion, assign_cases, decide_cases, open_statuses
from wenhen.cases.model import AmountKind, Case, CaseConditions, CaseOrder, CaseStatus, Lawsuit
from wenhen.cases.service import explain_absences, find_removed_works, record_case_view
from wenhen.cli.console import (
    CASE_NUMBER,
    HOST_NAME,
    ActingCommand,
    Day,
    EnumChoice,
    find_work_id,
    json_option,
    limit_option,
    pass_acting,
    pass_acting_with_indexes,
    print_json,
    print_record,
    print_records,
    print_table,
    to_plain,
    wants_json,
)
from wenhen.context.use_cases import Acting, Product
from wenhen.exclusions.commands import CASE_COMMANDS
from wenhen.kit.clock import china_day
from wenhen.kit.errors import Conflict, NotFound
from wenhen.notices.content import OutdatedFigures, find_outdated_figures
from wenhen.notices.sending import find_case_notices

# `wenhen cases`: list, show, decide, assign and comment.


STATUS_CHOICE = EnumChoice(CaseStatus)
CASE_COLUMNS = ("案号 no.", "作品 work", "页面 page", "程度 level", "占作品 of work", "占页面 of page", "状态 status")

FIGURE_COLUMNS = ("通知 notice", "作品版本 version", "占作品 of work", "占页面 of page", "片段 passages")


@click.group()
def cases() -> None:
    """Show and decide cases of suspected piracy."""


@cases.command("list")
@click.option("--status", type=STATUS_CHOICE, help="Only cases of this status.")
@click.option("--host", type=HOST_NAME, help="Only pages of this host.")
@click.option("--work", help="Only copies of this work: its id, its title, or how one of them begins.")
@click.option("--level", type=EnumChoice(Level), help="Only cases of this level.")
@click.option("--assignee", help="Only cases of this person. '': cases without a person.")
@click.option("--text", help="Only cases with these words in a title or the address.")
@click.option("--since", type=Day(), help="Only cases opened on this day (Asia/Shanghai) or later.")
@click.option("--removal", is_flag=True, help="Only copies that disappeared while they are pursued.")
@click.option("--returned", is_flag=True, help="Only copies that are back after their removal.")
@click.option("--asked", help="Only cases on which this person is asked for a second opinion.")
@click.option("--order", type=EnumChoice(CaseOrder), default="newest", help="Order of the cases.")
@limit_option
@json_option
@pass_acting
def list_command(
    acting: ActingCommand,
    status: CaseStatus | None,
    host: str | None,
    work: str | None,
    level: Level | None,
    assignee: str | None,
    text: str | None,
    since: datetime | None,
    removal: bool,
    returned: bool,
    asked: str | None,
    order: CaseOrder,
    limit: int,
) -> None:
    """List cases, newest first."""
    app = acting.product
    where: CaseConditions = {
        "work_id": find_work_id(app, work) if work else None,
        "status": status,
        "host": host,
        "level": level,
        "assignee": assignee,
        "text": text,
        "since": since,
        "removal": removal or None,
        "returned": returned or None,
        "asked": asked,
    }
    cases = app.store.cases.find(order=order, limit=limit, **where)
    total = app.store.cases.count(**where)
    rows = case_rows(app, cases)
    print_records(cases, CASE_COLUMNS, rows, title=f"{len(cases)} / {total}")


@cases.command()
@click.argument("number", type=CASE_NUMBER)
@json_option
@pass_acting
def show(acting: ActingCommand, number: int) -> None:
    """Show a case: its figures, and its passages in both texts."""
    app = acting.product
    case = app.store.cases.get(str(number))
    record_case_view(acting, number)
    page_text = app.store.blobs.get_text(case.page_text_digest)
    work_text = app.store.blobs.get_text(case.work_text_digest)
    remarks = app.store.comments.of_case(case.number)
    amounts = app.store.amounts.of_case(case.number)
    outdated = find_outdated_figures(case, find_case_notices(app, number))
    absence = explain_absences(app, [case]).get(case.number)
    rows = case_rows(app, [case])
    passages = [
        {
            **to_plain(passage),
            "page_text": page_text[passage.page_start : passage.page_end],
            "work_text": work_text[passage.work_start : passage.work_end],
        }
        for passage in case.match.passages
    ]
    if wants_json():
        print_json(
            {
                **to_plain(case),
                "passages": passages,
                "comments": to_plain(remarks),
                "amounts": to_plain(amounts),
                "outdated_figures": to_plain(outdated),
                "absent": to_plain(absence),
            }
        )
        return
    print_table(CASE_COLUMNS, rows)
    if absence:
        print_table(("不在 absent", "自 since"), [(absence.said, absence.since)])
    if outdated:
        print_table(FIGURE_COLUMNS, [row for one in outdated for row in _figure_rows(one)])
    if case.history:
        rows = [(move.at, move.status, move.by, move.note) for move in case.history]
        print_table(("时间 at", "状态 status", "何人 by", "理由 note"), rows)
    if remarks:
        said = [(one.id, one.at, one.by, one.text or "已撤回 withdrawn", one.changed_at) for one in remarks]
        print_table(("编号 id", "时间 at", "何人 by", "评论 comment", "改于 corrected"), said)
    if amounts:
        money = [(one.id, one.kind, f"{one.amount:,.2f} {one.currency}", one.day, one.by, one.note) for one in amounts]
        print_table(("编号 id", "款项 kind", "金额 amount", "日期 day", "何人 by", "备注 note"), money)
    quotes = [
        (passage["similarity"], passage["change"], passage["page_text"], passage["work_text"]) for passage in passages
    ]
    print_table(("相似 similarity", "改动 change", "页面 page", "作品 work"), quotes)


@cases.command()
@click.argument("status", type=STATUS_CHOICE)
@click.argument("numbers", nargs=-1, required=True, type=CASE_NUMBER)
@click.option(
    "--note", help="The reason. Dismissals and refusals need one; confirmations need one if the settings say so."
)
@click.option("--sent", type=Day(), help="Day on which the notice was sent, Asia/Shanghai. Default: today.")
@click.option("--deadline", type=Day(), help="Day by which the notice demands the removal. Default: a week later.")
@click.option("--until", type=Day(), help="Day on which a silenced case becomes a lead again, Asia/Shanghai.")
@click.option("--court", help="The court that has taken the case; court needs it.")
@click.option("--court-number", help="The number that the court has given it (案号); court needs it.")
@click.option("--filed", type=Day(), help="Day on which the court accepted it, Asia/Shanghai. Default: today.")
@pass_acting
def decide(
    acting: ActingCommand,
    status: CaseStatus,
    numbers: tuple[int, ...],
    note: str | None,
    sent: datetime | None,
    deadline: datetime | None,
    until: datetime | None,
    court: str | None,
    court_number: str | None,
    filed: datetime | None,
) -> None:
    """Set the STATUS of cases. Cases that cannot move to it are unchanged and listed, with exit status 1."""
    _require_cases(acting.product, *numbers)
    filed_at, given = filed or acting.product.now(), court or court_number or filed
    done = decide_cases(
        acting,
        numbers,
        status,
        note=note,
        notice_at=sent,
        deadline=deadline,
        until=until,
        lawsuit=Lawsuit(court=court or "", number=court_number or "", filed_at=filed_at) if given else None,
    )
    unmoved = acting.product.store.cases.many(done.stayed)
    stayed = [_describe_path(acting, case) for _, case in sorted(unmoved.items())]
    click.echo(f"{len(done.moved)} moved")
    if done.stayed:
        raise Conflict("cases.stayed", numbers="; ".join(stayed))


@cases.command()
@click.argument("assignee")
@click.argument("numbers", nargs=-1, required=True, type=CASE_NUMBER)
@pass_acting
def assign(acting: ActingCommand, assignee: str, numbers: tuple[int, ...]) -> None:
    """Assign cases to a user, or to nobody with ''."""
    _require_cases(acting.product, *numbers)
    click.echo(f"{assign_cases(acting, numbers, assignee).count} changed")


@cases.command()
@click.argument("name")
@click.argument("numbers", nargs=-1, required=True, type=CASE_NUMBER)
@click.option("--text", help="Question to the colleague.")
@pass_acting
def ask(acting: ActingCommand, name: str, numbers: tuple[int, ...], text: str | None) -> None:
    """Ask a user for a second opinion on cases. The dashboard notifies the user."""
    _require_cases(acting.product, *numbers)
    ask_second_opinion(acting, numbers, name, text)


@cases.command()
@click.argument("number", type=CASE_NUMBER)
@click.argument("text")
@pass_acting
def comment(acting: ActingCommand, number: int, text: str) -> None:
    """Add a comment to a case."""
    _require_cases(acting.product, number)
    _say_untold(comment_on_case(acting, number, text))


def _say_untold(done: CommentOutcome) -> None:
    for mention in done.untold:
        click.echo(mention.said.text("en"), err=True)


@cases.command("correct-comment")
@click.argument("number", type=CASE_NUMBER)
@click.argument("id")
@click.argument("text")
@pass_acting
def correct_comment_(acting: ActingCommand, number: int, id: str, text: str) -> None:
    """Correct a comment of your own, by the id from `cases show`, within a day."""
    _require_cases(acting.product, number)
    _say_untold(correct_own_comment(acting, number, id, text))


@cases.command("withdraw-comment")
@click.argument("number", type=CASE_NUMBER)
@click.argument("id")
@pass_acting
def withdraw_comment_(acting: ActingCommand, number: int, id: str) -> None:
    """Withdraw a comment of your own, by the id from `cases show`, within a day."""
    _require_cases(acting.product, number)
    withdraw_comment(acting, number, id)


@cases.command("add-amount")
@click.argument("number", type=CASE_NUMBER)
@click.argument("kind", type=EnumChoice(AmountKind))
@click.argument("amount")
@click.option("--currency", default=DEFAULT_CURRENCY, show_default=True, help="Three letters of ISO 4217.")
@click.option("--day", type=Day(), help="Day of the amount, Asia/Shanghai. Default: today.")
@click.option("--note", help="A remark.")
@json_option
@pass_acting
def add_amount_(
    acting: ActingCommand,
    number: int,
    kind: AmountKind,
    amount: str,
    currency: str,
    day: datetime | None,
    note: str | None,
) -> None:
    """Record an amount of money of a case: claimed, offered, agreed, paid, or a cost of one's own."""
    _require_cases(acting.product, number)
    chosen = china_day(day) if day else None
    added = add_amount(acting, number, kind, amount, currency=currency, day=chosen, note=note)
    print_record(added, added.id)


@cases.command("remove-amount")
@click.argument("number", type=CASE_NUMBER)
@click.argument("id")
@pass_acting
def remove_amount_(acting: ActingCommand, number: int, id: str) -> None:
    """Remove an amount of a case that was recorded by mistake. `wenhen cases show` lists the ids."""
    _require_cases(acting.product, number)
    remove_amount(acting, number, id)


def _describe_path(acting: Acting, case: Case) -> str:
    """Return the status of a case and the statuses it may move to."""
    return f"#{case.number} {case.status} → {' | '.join(open_statuses(acting, case)) or '—'}"


def _require_cases(product: Product, *numbers: int) -> None:
    """Raise `NotFound`, before any change, if a case does not exist."""
    if missing := sorted(set(numbers) - set(product.store.cases.many(numbers))):
        raise NotFound("cases.nothing_done", numbers=", ".join(map(str, missing)))


def _figure_rows(outdated: OutdatedFigures) -> Iterator[tuple[object, ...]]:
    for about, figures in (
        (f"{outdated.notice} ({outdated.sent_at:%Y-%m-%d})", outdated.then),
        ("现在 now", outdated.now),
    ):
        yield about, figures.work_version, figures.share_of_work, figures.share_of_page, figures.passages


def case_rows(product: Product, cases: Sequence[Case]) -> list[tuple[object, ...]]:
    """Return the rows of the table of cases."""
    removed_works = find_removed_works(product, cases)
    return [_case_row(case, removed_works) for case in cases]


def _case_row(case: Case, removed_works: Collection[str]) -> tuple[object, ...]:
    mark = ""
    if not case.present:
        unseen = " (作品已移除 work removed)" if case.work_id in removed_works else " (已消失 gone)"
        mark = " (共有 common)" if case.common else unseen
    status = f"{case.status}{' 授权 licensed' if case.licence_id else ''}{mark}"
    match = case.match
    return case.number, case.work_title, case.page_url, match.level, match.share_of_work, match.share_of_page, status


for command in CASE_COMMANDS:
    cases.add_command(command)


# `wenhen calibration`: the meaning of scores according to user decisions.


@click.command("calibration")
@click.option("--now", is_flag=True, help="Include the decisions since the last nightly correction.")
@json_option
@pass_acting_with_indexes
def calibration_(acting: ActingCommand, now: bool) -> None:
    """Show the two thresholds with their false-alarm rates: measured on decided cases, expected for waiting cases.

    Below the first threshold no case opens. From the second one on a case is certain. Between them a person has to
    check. The match probability is recalibrated with the decisions every night.
    """
    from wenhen.cases.calibration import report_calibration

    calibration, limits = report_calibration(acting.product, correct=now)
    columns = (
        "阈值 threshold",
        "概率 probability",
        "一致字数 letters",
        "已决定 decided",
        "误报率 false alarms",
        "待定 waiting",
        "预计误报率 expected",
    )
    rows = (
        (
            limit.name,
            limit.probability,
            limit.weight,
            limit.decided,
            "–" if limit.false_alarms is None else limit.false_alarms,
            limit.waiting,
            "–" if limit.expected_false_alarms is None else limit.expected_false_alarms,
        )
        for limit in limits
    )
    print_records(
        {**to_plain(calibration), "thresholds": limits},
        columns,
        rows,
        title=f"{calibration.decisions} 项决定 decisions",
    )
