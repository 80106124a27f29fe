"""`wenhen scan`: which works is this text copied from?"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from store.errors import BadInput
from store.records import WorkDraft
from wenhen.cli.shared.opening import opened
from wenhen.cli.shared.output import err, json_option, print_json_line, print_table, progress
from wenhen.wiring import App


@click.command()
@click.argument("what", metavar="FILE|DIR|URL|-")
@json_option
@click.pass_context
def scan(ctx: click.Context, what: str, as_json: bool) -> None:
    """Say which works a text is copied from, passage by passage. Nothing is stored.

    WHAT is a file or a folder (the formats of `works import`), an address, or - for standard input. With --json one
    line a passage.
    Status 1 only when something could not be read; a text that copies nothing prints nothing and is no failure.
    """
    from services.check import scan as scan_text

    refused = 0
    with opened(ctx) as app:
        wait_for_library(app)
        for text in _texts(app, what):
            if isinstance(text, str):
                err().print(text, style="red")
                refused += 1
                continue
            findings = scan_text(app, text.origin or text.title, text.text)
            if as_json:
                for finding in findings:
                    print_json_line(finding)
            elif findings:
                rows = [(f.work_title, f.level, f.passage.similarity, f.page_text, f.work_text) for f in findings]
                columns = ("作品 work", "程度 level", "相似 similarity", "此文 this text", "作品原文 the work")
                print_table(columns, rows, title=text.origin or text.title)
            else:
                err().print(f"{text.origin or text.title}: 未发现抄袭 nothing copied")
    if refused:
        raise click.ClickException(f"{refused} could not be read")


def wait_for_library(app: App) -> None:
    """A library whose import was not waited for is finished first, so that the answer is whole."""
    from store.records import Step
    from wenhen.processes.workers import work_off

    steps = app.store.works.count_by_step()
    if any(count for step, count in steps.items() if step in (Step.FINGERPRINT, Step.INDEX)):
        with progress("指纹与检索 fingerprinting") as advance:
            work_off(app, advance)


def _texts(app: App, what: str) -> Iterator[WorkDraft | str]:
    from services.importing.found import Refused, text_of
    from services.importing.paths import read_paths

    if what == "-":
        yield WorkDraft(id="-", title="-", text=text_of(sys.stdin.buffer.read()))
    elif what.startswith(("http://", "https://")):
        yield _fetched(app, what)
    else:
        for found in read_paths([Path(what)]):
            yield f"{found.what}: {found.reason}" if isinstance(found, Refused) else found


def _fetched(app: App, url: str) -> WorkDraft:
    from crawler.extract.page import extract
    from services.crawls.fetch import fetch

    body, capture = fetch(app, url)
    page = extract(body, capture.headers, capture.url)
    if not page.text:
        raise BadInput(f"{url} holds no text")
    return WorkDraft(id=url, title=page.title or url, text=page.text, origin=url)
