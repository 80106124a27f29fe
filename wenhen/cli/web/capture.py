"""`wenhen capture`: what no crawl can fetch, brought by hand."""

from datetime import datetime
from pathlib import Path

import click

from store.records import Page
from store.rules.china_time import CHINA
from wenhen.cli.shared.files import read_file
from wenhen.cli.shared.opening import acting_of, opened_with_indexes
from wenhen.cli.shared.output import json_option, print_json, print_table, progress

SEEN = click.DateTime(("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"))


@click.group()
def capture() -> None:
    """Captures that somebody brings: what was seen in an app."""


@capture.command("add")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--url", required=True, help="The address under which it is known, such as the link that the app shares.")
@click.option("--app", "app_name", help="In which app it was seen, and its version.")
@click.option("--device", help="On which device.")
@click.option("--by", help="Who took it, if it was somebody else.")
@click.option("--at", "seen_at", type=SEEN, help="When it was seen, by the clocks of China; now, if not given.")
@click.option("--note", help="What else is to be known of it.")
@click.option("--no-wait", is_flag=True, help="Return when it is stored; matching follows in the background.")
@json_option
@click.pass_context
def add_(
    ctx: click.Context,
    files: tuple[Path, ...],
    url: str,
    app_name: str | None,
    device: str | None,
    by: str | None,
    seen_at: datetime | None,
    note: str | None,
    no_wait: bool,
    as_json: bool,
) -> None:
    """Store FILES, in this order, as a capture of the page at an address, with how they were come by, and match it.

    A file is a screenshot (.png .jpg .bmp .webp, read with wenhen[pictures]), a transcript or a document: .txt .pdf
    .docx .doc .rtf .epub .mobi, or .zip of these.
    """
    from services.crawls.brought_captures import Circumstances, bring
    from wenhen.processes.working_off import work_off

    at = seen_at.replace(tzinfo=CHINA) if seen_at else None
    seen = Circumstances(by=by, seen_at=at, app=app_name, device=device, note=note)
    brought = [(path.name, read_file(path)) for path in files]
    with opened_with_indexes(ctx) as app:
        page = bring(acting_of(app), url, brought, seen)
        if not no_wait:
            with progress("比对 matching") as advance:
                work_off(app, advance)
            page = app.store.pages.get(page.id)
        cases = app.store.cases.find(page_id=page.id, limit=100)
    if as_json:
        print_json({"page": page, "cases": [case.number for case in cases]})
        return
    rows = [(page.url, page.length, _said(page), " ".join(f"#{case.number}" for case in cases))]
    print_table(("网址 address", "字数 characters", "问题 problem", "案件 cases"), rows)


def _said(page: Page) -> str:
    return str(page.progress.problem or page.note or "")
