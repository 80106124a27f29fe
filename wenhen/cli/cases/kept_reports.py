"""`wenhen reports`: reports that are made in the background and kept."""

from pathlib import Path

import click

from store.records import CaseStatus
from wenhen.cli.shared.files import NewFile, write_file
from wenhen.cli.shared.naming import CASE
from wenhen.cli.shared.opening import acting_of, opened
from wenhen.cli.shared.output import json_option, print_json, print_table


@click.group()
def reports() -> None:
    """Reports that the workers of `wenhen up` make in the background, kept under a name."""


@reports.command()
@click.argument("name")
@click.argument("numbers", nargs=-1, metavar="[CASE]...", type=CASE)
@click.option(
    "--form",
    type=click.Choice(["pdf", "xlsx", "csv", "json"]),
    default="pdf",
    show_default=True,
    help="In which form.",
)
@click.option("--status", type=click.Choice([str(one) for one in CaseStatus]), help="Only cases of this status.")
@click.pass_context
def ask(ctx: click.Context, name: str, numbers: tuple[int, ...], form: str, status: str | None) -> None:
    """Have a report of all cases, or of those numbered, made and kept as NAME; prints its id."""
    from services.reporting import kept_reports

    with opened(ctx) as app:
        chosen = CaseStatus(status) if status else None
        kept = kept_reports.ask(acting_of(app), name, form, case_ids=[*map(str, numbers)], status=chosen)
    click.echo(kept.id)


@reports.command("list")
@json_option
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List them, the newest first, with how far each is."""
    with opened(ctx) as app:
        found = app.store.kept_reports.newest()
    if as_json:
        print_json(found)
        return
    columns = ("编号 id", "名称 name", "格式 form", "由 by", "案件 cases", "制作 made", "字节 bytes", "问题 problem")
    print_table(
        columns,
        [
            (one.id, one.name, one.format, one.by, f"{one.done} / {one.of}", one.made_at, one.size, one.problem)
            for one in found
        ],
    )


@reports.command()
@click.argument("id")
@click.option("--out", "-o", type=NewFile(), help="Where to; under its name into the current folder, if not given.")
@click.pass_context
def get(ctx: click.Context, id: str, out: Path | None) -> None:
    """Write the file of one."""
    from services.reporting import kept_reports

    with opened(ctx) as app:
        kept, content = kept_reports.hand_out(acting_of(app), id)
    write_file(out or Path(f"{kept.name.replace('/', '_')}.{kept.format}"), content)


@reports.command()
@click.argument("ids", nargs=-1, required=True)
@click.pass_context
def remove(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Keep these no longer, or make them no more."""
    from services.reporting import kept_reports

    with opened(ctx) as app:
        for id in ids:
            kept_reports.remove(acting_of(app), id)
