"""Define `wenhen scan` and `wenhen original`: look texts up in the library."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from matcher.model import EarlierWork, Originality
from wenhen.cli.console import (
    InputTexts,
    finish_queued_steps,
    json_option,
    open_product_with_indexes,
    print_json_line,
    print_table,
    shortest_option,
    stderr_console,
    to_plain,
    wants_json,
)
from wenhen.kit.errors import BadInput
from wenhen.kit.progress import Step
from wenhen.kit.text import percent
from wenhen.runtime.wiring import App
from wenhen.works.model import WorkDraft

if TYPE_CHECKING:
    from wenhen.texts.source_lookup import CopiedWork


@click.command()
@click.argument("what", metavar="FILE|DIR|URL|-")
@shortest_option
@json_option
@click.pass_context
def scan(ctx: click.Context, what: str, shortest: int | None) -> None:
    """Say which works a text is copied from, passage by passage. Nothing is stored.

    WHAT is a file or a folder (the formats of `works import`), an address, or - for standard input. With --json one
    line a passage.
    Status 1 only when something could not be read; a text that copies nothing prints nothing and is no failure.
    """
    from wenhen.fingerprints.reading import TextReading
    from wenhen.texts.source_lookup import find_copied_works, is_long_enough

    refused = 0
    with open_product_with_indexes(ctx, shortest=shortest) as app:
        wait_for_library(app)
        for text in _read_texts(app, what):
            if isinstance(text, str):
                stderr_console().print(text, style="red")
                refused += 1
                continue
            works = find_copied_works(app, text.text)
            if not works and not wants_json() and not is_long_enough(app, TextReading(text.text)):
                stderr_console().print(f"{text.origin or text.title}: 太短，无法判断 too short to say")
                continue
            _print_passages(text.origin or text.title, works)
    if refused:
        raise click.ClickException(f"{refused} could not be read")


def _print_passages(source: str, works: "list[CopiedWork]") -> None:
    """Print a row, or with JSON a line, for each passage."""
    if wants_json():
        for work in works:
            fields = to_plain(work)
            del fields["pairs"]
            for pair in work.pairs:
                print_json_line({"source": source} | fields | pair._asdict())
    elif works:
        rows = [
            (work.work_title, work.level, pair.passage.similarity, pair.page_text, pair.work_text)
            for work in works
            for pair in work.pairs
        ]
        columns = ("作品 work", "程度 level", "相似 similarity", "此文 this text", "作品原文 the work")
        print_table(columns, rows, title=source)
    else:
        stderr_console().print(f"{source}: 未发现抄袭 nothing copied")


def wait_for_library(app: App) -> None:
    """Finish an import that was not waited for, so that the answer is complete. Say so if there are no works."""
    if not app.store.works.count(most=1):
        stderr_console().print(
            "作品库中还没有作品：请先运行 wenhen works import "
            "the library holds no works yet: import some first (wenhen works import)",
            style="yellow",
        )
    steps = app.store.works.count_by_step()
    if any(count for step, count in steps.items() if step in (Step.FINGERPRINT, Step.INDEX)):
        finish_queued_steps(app, "指纹与检索 fingerprinting")


def _read_texts(app: App, what: str) -> Iterator[WorkDraft | str]:
    from wenhen.works.importers.drafts import Refused
    from wenhen.works.importers.path_reader import read_paths, read_text_stream

    if what == "-":
        yield WorkDraft(id="-", title="-", text=read_text_stream(sys.stdin.buffer))
    elif what.startswith(("http://", "https://")):
        yield _fetch_draft(app, what)
    else:
        for path in read_paths([Path(what)]):
            yield f"{path.what}: {path.reason}" if isinstance(path, Refused) else path


def _fetch_draft(app: App, url: str) -> WorkDraft:
    from crawler.extraction.sandbox_calls import read_page
    from wenhen.crawls.fetch import fetch_page

    body, capture = fetch_page(app, url)
    page = read_page(body, capture.headers, capture.url)
    if not page.text:
        raise BadInput("check.no_text", url=url)
    return WorkDraft(id=url, title=page.title or url, text=page.text, origin=url)


_ANSWER_WORDS = {"pass": "通过 pass", "refused": "拒绝 refused", "too_short": "太短 too_short"}
_ORIGINALITY_COLUMNS = ("文本 text", "结论 answer", "在先作品 earlier work", "占此文 of the text", "段落 passages")
_EXCERPT_CHARACTERS = 24  # characters of a passage in the table; --json prints all


@click.command()
@click.argument("what", metavar="FILE|DIR|-...", nargs=-1, required=True)
@click.option(
    "--floor",
    default=0,
    type=click.IntRange(0),
    help="Minimum length in characters. A shorter text is too short to decide.",
)
@shortest_option
@json_option
@click.pass_context
def original(ctx: click.Context, what: tuple[str, ...], floor: int, shortest: int | None) -> None:
    """Say whether submissions are original: pass, refused (with the earlier works and the passages) or too_short.

    WHAT are files and folders (the formats of `works import`, so a .jsonl or .csv is a batch) and - for standard input.
    A row a text, or with --json a line a text: {id, title, source, answer, works}. A text is refused where a page with
    it would open a case, and too_short to say where even a word-for-word copy of it would open none. Works that were
    published after the text count for nothing, where both are dated. Nothing is stored.
    Status 1 when a text was refused or could not be read; too_short alone is no failure.
    """
    from wenhen.texts.source_lookup import check_originality

    texts = InputTexts(what)
    answers = []
    rows = []
    with open_product_with_indexes(ctx, shortest=shortest) as app:
        wait_for_library(app)
        for text in texts:
            result = check_originality(app, text.text, text.published_at, floor=floor)
            answers.append(result.answer.value)
            if wants_json():
                print_json_line({"id": text.id, "title": text.title, "source": text.origin} | to_plain(result))
            else:
                rows.append(_originality_row(text, result))
    if rows:
        print_table(_ORIGINALITY_COLUMNS, rows)
    if short := answers.count("too_short"):
        stderr_console().print(f"{short} / {len(answers)} 太短，无法判断 too short to say")
    sources = []
    if refused := answers.count("refused"):
        sources.append(f"{refused} of {len(answers)} refused")
    if texts.unreadable:
        sources.append(f"{texts.unreadable} could not be read")
    if sources:
        raise click.ClickException("; ".join(sources))


def _originality_row(text: WorkDraft, result: Originality) -> tuple[str, ...]:
    works = result.works
    return (
        text.title if text.origin in (None, text.title) else f"{text.title} ({text.origin})",
        _ANSWER_WORDS[result.answer.value],
        "；".join(f"{work.title} ({work.work_id})" for work in works),
        "；".join(percent(work.share_of_text) for work in works),
        "；".join(_format_passages(work) for work in works),
    )


def _format_passages(work: EarlierWork) -> str:
    return "、".join(
        f"{passage.passage.page_start}–{passage.passage.page_end} {_shorten_text(passage.text)}"
        for passage in work.passages
    )


def _shorten_text(text: str) -> str:
    return text if len(text) <= _EXCERPT_CHARACTERS else f"{text[:_EXCERPT_CHARACTERS]}…"
