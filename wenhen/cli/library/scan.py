"""`wenhen scan`: which works is this text copied from?"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from store.errors import BadInput
from store.records import WorkDraft
from wenhen.cli.shared.opening import opened_with_indexes
from wenhen.cli.shared.output import err, json_option, plain, print_json_line, print_table, progress
from wenhen.wiring import App

if TYPE_CHECKING:
    from services.texts.works_copied_from import CopiedWork


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
    from pipeline.matching.text_with_letters import Reading
    from services.texts.originality import tells
    from services.texts.works_copied_from import check

    refused = 0
    with opened_with_indexes(ctx) as app:
        wait_for_library(app)
        for text in _texts(app, what):
            if isinstance(text, str):
                err().print(text, style="red")
                refused += 1
                continue
            works = check(app, text.text)
            if not works and not as_json and not tells(app, Reading(text.text)):
                err().print(f"{text.origin or text.title}: 太短，无法判断 too short to say")
                continue
            _print(text.origin or text.title, works, as_json=as_json)
    if refused:
        raise click.ClickException(f"{refused} could not be read")


def _print(source: str, works: "list[CopiedWork]", *, as_json: bool) -> None:
    """A row, or with JSON a line, for each passage."""
    if as_json:
        for work in works:
            told = plain(work)
            del told["pairs"]
            for pair in work.pairs:
                print_json_line({"source": source} | told | pair._asdict())
    elif works:
        rows = [
            (one.work_title, one.level, pair.passage.similarity, pair.page_text, pair.work_text)
            for one in works
            for pair in one.pairs
        ]
        columns = ("作品 work", "程度 level", "相似 similarity", "此文 this text", "作品原文 the work")
        print_table(columns, rows, title=source)
    else:
        err().print(f"{source}: 未发现抄袭 nothing copied")


def wait_for_library(app: App) -> None:
    """A library whose import was not waited for is finished first, so that the answer is whole."""
    from store.records import Step

    steps = app.store.works.count_by_step()
    if any(count for step, count in steps.items() if step in (Step.FINGERPRINT, Step.INDEX)):
        from wenhen.processes.working_off import work_off  # with what starts workers

        with progress("指纹与检索 fingerprinting") as advance:
            work_off(app, advance)


def _texts(app: App, what: str) -> Iterator[WorkDraft | str]:
    from services.importing.drafts_and_refusals import Refused
    from services.importing.read_paths import read_paths, text_from

    if what == "-":
        yield WorkDraft(id="-", title="-", text=text_from(sys.stdin.buffer))
    elif what.startswith(("http://", "https://")):
        yield _fetched(app, what)
    else:
        for found in read_paths([Path(what)]):
            yield f"{found.what}: {found.reason}" if isinstance(found, Refused) else found


def _fetched(app: App, url: str) -> WorkDraft:
    from crawler.extract.read_page import read_page
    from services.crawls.fetch_without_storing import fetch

    body, capture = fetch(app, url)
    page = read_page(body, capture.headers, capture.url)
    if not page.text:
        raise BadInput("check.no_text", url=url)
    return WorkDraft(id=url, title=page.title or url, text=page.text, origin=url)
