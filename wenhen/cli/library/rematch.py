"""`wenhen rematch`: the whole library matched anew."""

import click

from wenhen.cli.shared.opening import opened_with_indexes
from wenhen.cli.shared.output import json_option, print_json, print_table, progress


@click.group()
def rematch() -> None:
    """The library against the pages that are stored, and against itself."""


@rematch.command()
@click.option("--all", "everything", is_flag=True, help="All works, also those for which nothing can have changed.")
@click.option("--no-wait", is_flag=True, help="Return when it has begun.")
@json_option
@click.pass_context
def now(ctx: click.Context, everything: bool, no_wait: bool, as_json: bool) -> None:
    """Look works up again now, instead of at night: those for which something may have changed since."""
    from pipeline.library.rematch import end_finished_rematch
    from services.upkeep.rebuilding import rematch as start
    from wenhen.processes.working_off import work_off

    with opened_with_indexes(ctx) as app:
        run = start(app, everything=everything)
        if not no_wait:
            with progress("重新比对 matching anew") as advance:
                work_off(app, advance)
            end_finished_rematch(app)
            run = app.store.runs.get(run.id)
    if as_json:
        print_json(run)
    else:
        print_table(("运行 run", *run.counts), [(run.id, *run.counts.values())])
