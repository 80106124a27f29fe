"""`wenhen cases`: list and show."""

import click

from store.records import Case, CaseStatus
from wenhen.cli.opening import opened
from wenhen.cli.output import json_option, plain, print_json, print_table

COLUMNS = ("案号 no.", "作品 work", "页面 page", "程度 level", "占作品 of work", "占页面 of page", "状态 status")


@click.group()
def cases() -> None:
    """The suspected piracy."""


@cases.command("list")
@click.option("--status", type=click.Choice([str(one) for one in CaseStatus]), help="Only cases of this status.")
@click.option("--host", help="Only pages of this host.")
@click.option("--work", help="Only copies of this work (its id).")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1), help="At most so many.")
@json_option
@click.pass_context
def list_(
    ctx: click.Context, status: str | None, host: str | None, work: str | None, limit: int, as_json: bool
) -> None:
    """List cases, the newest first."""
    wanted = CaseStatus(status) if status else None
    with opened(ctx) as app:
        found = app.store.cases.find(status=wanted, host=host, work_id=work, limit=limit)
        total = app.store.cases.count(status=wanted, host=host, work_id=work)
    if as_json:
        print_json(found)
    else:
        print_table(COLUMNS, [case_row(case) for case in found], title=f"{len(found)} / {total}")


@cases.command()
@click.argument("number")
@json_option
@click.pass_context
def show(ctx: click.Context, number: str, as_json: bool) -> None:
    """Show a case: its figures and its passages, both texts."""
    with opened(ctx) as app:
        case = app.store.cases.get(number)
        page_text = app.store.blobs.get_text(case.page_text_digest)
        work_text = app.store.blobs.get_text(case.work_text_digest)
    passages = [
        {
            **plain(one),
            "page_text": page_text[one.page_start : one.page_end],
            "work_text": work_text[one.work_start : one.work_end],
        }
        for one in case.match.passages
    ]
    if as_json:
        print_json({**plain(case), "passages": passages})
        return
    print_table(COLUMNS, [case_row(case)])
    rows = [(one["similarity"], one["change"], one["page_text"], one["work_text"]) for one in passages]
    print_table(("相似 similarity", "改动 change", "页面 page", "作品 work"), rows)


def case_row(case: Case) -> tuple[object, ...]:
    """One line of a table of cases."""
    mark = "" if case.present else " (已消失 gone)"
    status = f"{case.status}{' 授权 licensed' if case.licence_id else ''}{mark}"
    match = case.match
    return case.number, case.work_title, case.page_url, match.level, match.share_of_work, match.share_of_page, status
