"""Define `wenhen parallels`: the passages that texts share, for scholars."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from matcher.model import MAX_SHORTEST_PASSAGE, MIN_SHORTEST_PASSAGE
from wenhen.cli.console import json_option, print_json_line, print_table, progress_bar, stderr_console, to_plain
from wenhen.cli.opening import InputTexts, open_product

if TYPE_CHECKING:
    from wenhen.texts.parallels import ComparedText, Parallel

_DEFAULT_SHORTEST = 12  # letters
_COLUMNS = ("此文 first", "位置 at", "彼文 second", "位置 at", "字 letters", "相似 similarity", "此文文字", "彼文文字")
_EXCERPT_CHARACTERS = 40  # characters of a passage in the table


@click.command()
@click.argument("what", metavar="FILE|DIR|-...", nargs=-1, required=True)
@click.option(
    "--among",
    type=click.Choice(["files", "library"]),
    default="files",
    show_default=True,
    help="What the texts are compared with: each other and themselves, or all works of the library.",
)
@click.option(
    "--shortest",
    type=click.IntRange(MIN_SHORTEST_PASSAGE, MAX_SHORTEST_PASSAGE),
    default=_DEFAULT_SHORTEST,
    show_default=True,
    metavar="N",
    help="Minimum length of a passage, in same characters; at least 8.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, with both texts aligned.")
@click.option("--tei", "as_tei", is_flag=True, help="Print a TEI document: each parallel with its readings.")
@json_option
@click.pass_context
def parallels(
    ctx: click.Context, what: tuple[str, ...], among: str, shortest: int, as_csv: bool, as_tei: bool, as_json: bool
) -> None:
    """List every passage that texts share, and that one of them repeats. Nobody is accused, and nothing is stored.

    WHAT are files and folders (the formats of `works import`) and - for standard input. A passage has N same characters
    or variants, with at most a few changes between them. A row a parallel: ids, offsets in code points, and both texts;
    with --json a line each, with the runs of the alignment. Status 1 when something could not be read.
    """
    from wenhen.texts.parallel_formats import csv_lines, tei_document

    if as_csv + as_tei + as_json > 1:
        raise click.UsageError("name one of --json, --csv, --tei")
    inputs = InputTexts(what)
    texts = list(_read_texts(inputs))
    parallels_found = _find(ctx, texts, among, shortest)
    if as_csv:
        for line in csv_lines(parallels_found):
            click.echo(line)
    elif as_tei:
        click.echo(tei_document(parallels_found, shortest))
    elif as_json:
        for parallel in parallels_found:
            print_json_line(to_plain(parallel))
    else:
        _print_rows(parallels_found)
    if inputs.unreadable:
        raise click.ClickException(f"{inputs.unreadable} could not be read")


def _read_texts(inputs: InputTexts) -> "Iterator[ComparedText]":
    from wenhen.fingerprints.reading import TextReading
    from wenhen.texts.parallels import ComparedText

    for draft in inputs:
        yield ComparedText(draft.id, draft.title, TextReading(draft.text))


def _find(ctx: click.Context, texts: "list[ComparedText]", among: str, shortest: int) -> "Iterator[Parallel]":
    from wenhen.texts.parallels import find_parallels_among, find_parallels_with_library

    if among == "files":
        yield from find_parallels_among(texts, shortest)
        return
    with open_product(ctx) as app, progress_bar("比对 comparing") as advance:
        yield from find_parallels_with_library(app, texts, shortest, advance)


def _print_rows(parallels: "Iterable[Parallel]") -> None:
    rows = [
        (
            parallel.first_title,
            f"{parallel.first_start}–{parallel.first_end}",
            parallel.second_title,
            f"{parallel.second_start}–{parallel.second_end}",
            parallel.letters,
            parallel.similarity,
            _shorten(parallel.first_text),
            _shorten(parallel.second_text),
        )
        for parallel in parallels
    ]
    if rows:
        print_table(_COLUMNS, rows)
    else:
        stderr_console().print("没有共有的片段 no passage is shared")


def _shorten(text: str) -> str:
    return text if len(text) <= _EXCERPT_CHARACTERS else f"{text[:_EXCERPT_CHARACTERS]}…"
