"""Define `wenhen report` and `wenhen reports`."""

from pathlib import Path

import click

from wenhen.cases.model import CaseStatus
from wenhen.cli.console import (
    CASE_NUMBER,
    ActingCommand,
    EnumChoice,
    NewFile,
    command_acting,
    json_option,
    open_product,
    pass_acting,
    print_records,
    progress_bar,
    stderr_console,
    without_fields,
    write_file,
)
from wenhen.kit.errors import BadInput, Language

_status_option = click.option("--status", type=EnumChoice(CaseStatus), help="Only cases of this status.")
_language_option = click.option(
    "--language", type=click.Choice(["zh", "en"]), help="Write it in one language. Default: Chinese and English."
)

# `wenhen report`: write an infringement report.


@click.command()
@click.argument("numbers", nargs=-1, metavar="[CASE]...", type=CASE_NUMBER)
@click.option(
    "--out",
    "-o",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help=".pdf, .xlsx, .csv, .json; one case: .html; and what plug-ins write.",
)
@_status_option
@_language_option
@click.pass_context
def report(
    ctx: click.Context, numbers: tuple[int, ...], out: Path, status: CaseStatus | None, language: Language | None
) -> None:
    """Write an infringement report of all or the given cases as .pdf, .xlsx, .csv or .json, or of one case as .html."""
    from wenhen.reports.service import known_endings, write_report

    if out.suffix not in (".pdf", ".xlsx", ".csv", ".json", ".html") and out.suffix not in known_endings():
        raise BadInput("reports.ending", path=str(out))
    if out.suffix == ".html" and len(numbers) != 1:
        raise BadInput("reports.one_case")
    with open_product(ctx) as app, progress_bar("报告 report") as advance:
        count = write_report(
            command_acting(app), out, status=status, numbers=[*map(str, numbers)], language=language, advance=advance
        )
    stderr_console().print(f"{out}: {count} cases")


# `wenhen reports`: reports created in the background and stored.


@click.group()
def reports() -> None:
    """Manage reports that workers of `wenhen up` create in the background and store under a name."""


@reports.command()
@click.argument("name")
@click.argument("numbers", nargs=-1, metavar="[CASE]...", type=CASE_NUMBER)
@click.option(
    "--form", type=click.Choice(["pdf", "xlsx", "csv", "json"]), default="pdf", show_default=True, help="File format."
)
@_status_option
@_language_option
@pass_acting
def ask(
    acting: ActingCommand,
    name: str,
    numbers: tuple[int, ...],
    form: str,
    status: CaseStatus | None,
    language: Language | None,
) -> None:
    """Request a report of all or the given cases as NAME, and print its id."""
    from wenhen.reports.service import request_report

    kept = request_report(acting, name, form, case_ids=[*map(str, numbers)], language=language, status=status)
    click.echo(kept.id)


@reports.command("list")
@json_option
@pass_acting
def list_(acting: ActingCommand) -> None:
    """List the stored reports with their progress, newest first."""
    reports = acting.product.store.kept_reports.newest()
    columns = ("编号 id", "名称 name", "格式 form", "由 by", "案件 cases", "制作 made", "字节 bytes", "问题 problem")
    print_records(
        reports,
        columns,
        (
            (
                report.id,
                report.name,
                report.format,
                report.by,
                f"{report.done} / {report.of}",
                report.made_at,
                report.size,
                report.problem,
            )
            for report in reports
        ),
    )


@reports.command()
@click.argument("id")
@click.option("--out", "-o", type=NewFile(), help="File to write. Default: its own name, in the current folder.")
@pass_acting
def get(acting: ActingCommand, id: str, out: Path | None) -> None:
    """Write the file of a stored report."""
    from wenhen.reports.service import hand_out_report

    kept, content = hand_out_report(acting, id)
    write_file(out or Path(f"{kept.name.replace('/', '_')}.{kept.format}"), content)


@reports.command()
@click.argument("ids", nargs=-1, required=True)
@pass_acting
def remove(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Delete stored reports, or cancel pending ones."""
    from wenhen.reports.service import delete_report

    for id in ids:
        delete_report(acting, id)


# `wenhen links`: addresses at which people without an account take a report.


@click.group()
def links() -> None:
    """Share reports at secret addresses that expire and can be revoked."""


@links.command("make")
@click.argument("number", required=False, metavar="[CASE]", type=CASE_NUMBER)
@click.option("--report", "report_id", help="Share this stored report instead of a case.")
@click.option("--days", type=click.IntRange(1, 90), default=14, show_default=True, help="Days that it is valid.")
@click.option("--at", default="", help="Address of the dashboard, such as https://wenhen.example.")
@click.pass_context
def make_link(ctx: click.Context, number: int | None, report_id: str | None, days: int, at: str) -> None:
    """Share the report of a case, or a stored one, and print its address, which is told this once."""
    from wenhen.reports.shared_links import share_case, share_report

    if (number is None) == (report_id is None):
        raise BadInput("links.nothing")
    with open_product(ctx) as app:
        acting = command_acting(app)
        if report_id is not None:
            link, secret = share_report(acting, report_id, days)
        else:
            assert number is not None
            link, secret = share_case(acting, number, days)
    stderr_console().print(f"{link.id} {link.file_name}")
    click.echo(f"{at.rstrip('/')}/shared/{secret}")


@links.command("list")
@json_option
@pass_acting
def list_links(acting: ActingCommand) -> None:
    """List the links, newest first."""
    links = acting.product.store.shared_links.newest()
    print_records(
        [without_fields(link, "secret_digest") for link in links],
        ("编号 id", "文件 file", "由 by", "生成 made", "有效至 until", "撤销 revoked", "下载 downloads"),
        (
            (link.id, link.file_name, link.made_by, link.made_at, link.expires_at, link.revoked_at, link.opened)
            for link in links
        ),
    )


@links.command("revoke")
@click.argument("ids", nargs=-1, required=True)
@pass_acting
def revoke_links(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Let links lead nowhere any more."""
    from wenhen.reports.shared_links import revoke_link

    for id in ids:
        revoke_link(acting, id)
