"""`wenhen report`: the infringement report as a file."""

from pathlib import Path

import click

from store.errors import BadInput
from store.records import CaseStatus
from wenhen.cli.shared.naming import CASE
from wenhen.cli.shared.opening import acting_of, opened
from wenhen.cli.shared.output import err, progress


@click.command()
@click.argument("numbers", nargs=-1, metavar="[CASE]...", type=CASE)
@click.option(
    "--out",
    "-o",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help=".pdf, .xlsx, .csv, .json; one case: .html",
)
@click.option("--status", type=click.Choice([str(one) for one in CaseStatus]), help="Only cases of this status.")
@click.pass_context
def report(ctx: click.Context, numbers: tuple[int, ...], out: Path, status: str | None) -> None:
    """Write the infringement report of all cases, or of those numbered, as .pdf, .xlsx, .csv or .json; one as .html."""
    from wenhen.cli.cases.write_report import write_report

    if out.suffix not in (".pdf", ".xlsx", ".csv", ".json", ".html"):
        raise BadInput("reports.ending", path=str(out))
    if out.suffix == ".html" and len(numbers) != 1:
        raise BadInput("reports.one_case")
    chosen = CaseStatus(status) if status else None
    with opened(ctx) as app, progress("报告 report") as told:
        count = write_report(acting_of(app), out, status=chosen, numbers=[*map(str, numbers)], told=told)
    err().print(f"{out}: {count} cases")
