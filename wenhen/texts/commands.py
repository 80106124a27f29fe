"""Define `wenhen fingerprint`, `wenhen extract` and `wenhen parallels`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crawler.capture import Capture
from crawler.extraction.documents.file_kinds import detect_response_kind
from crawler.extraction.markup_signs import may_hold_posts
from crawler.extraction.model import ExtractedPage, ThreadPage
from crawler.extraction.sandbox_calls import read_dropped_share, read_page, read_posts
from crawler.extraction.scrolling.json_responses import may_be_json
from matcher.model import MAX_SHORTEST_PASSAGE, MIN_SHORTEST_PASSAGE
from wenhen.cli.console import (
    InputTexts,
    command_settings,
    json_option,
    open_product,
    print_json_line,
    print_table,
    progress_bar,
    stderr_console,
    to_plain,
    wants_json,
)
from wenhen.kit.errors import Message, Unreadable

if TYPE_CHECKING:
    from wenhen.texts.fingerprint_view import Likeness, ShownFingerprint
    from wenhen.texts.parallels import ComparedText, Parallel

# `wenhen fingerprint`: show the fingerprints of texts.


_AUTO_VALUE = "auto"
_MAX_SHOWN_LETTERS = 400  # letters and windows of a text in the table; --json prints all


@click.command()
@click.argument("what", metavar="FILE|DIR|-...", nargs=-1, required=True)
@click.option("--window", default=_AUTO_VALUE, show_default=True, help="Window length in letters: 150, or auto.")
@click.option(
    "--overlap",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0, 1, max_open=True),
    help="Overlap of neighbouring windows, as a share of a window.",
)
@click.option(
    "--range",
    "highest",
    default=_AUTO_VALUE,
    show_default=True,
    type=click.Choice([_AUTO_VALUE, "1", "3", "7", "9"]),
    help="Highest digit of the normalised frequencies: 9 for [0,9].",
)
@click.option(
    "--reference",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON file with your own `counts` by initial and their `total`, instead of those of general Chinese.",
)
@json_option
def fingerprint(what: tuple[str, ...], window: str, overlap: float, highest: str, reference: Path | None) -> None:
    """Show what texts become: letters, frequency windows with their digits, each initial against its usual share, and
    the features that production makes. Two texts are made alike, and told how alike they are. auto goes by the length.

    WHAT are files and folders (the formats of `works import`) and - for standard input. Needs no server. Status 1 when
    something could not be read; the rest is shown.
    """
    from wenhen.texts.fingerprint_view import (
        FingerprintSettings,
        compare_fingerprints,
        describe_fingerprint,
        parse_reference,
    )

    if window != _AUTO_VALUE and not (window.isdecimal() and int(window)):
        raise click.BadParameter("is a number of letters from 1 on, or auto", param_hint="--window")
    settings = FingerprintSettings(
        window=None if window == _AUTO_VALUE else int(window),
        overlap=overlap,
        highest=None if highest == _AUTO_VALUE else int(highest),
        usual=parse_reference(reference.read_bytes(), reference.name) if reference else None,
    )
    texts = InputTexts(what)
    read = list(texts)
    likeness = None
    if len(read) == 2:
        *made, likeness = compare_fingerprints(read[0].text, read[1].text, settings)
    else:
        made = [describe_fingerprint(text.text, settings) for text in read]
    for text, fingerprint in zip(read, made, strict=True):
        if wants_json():
            print_json_line({"id": text.id, "title": text.title} | to_plain(fingerprint) | _likeness_fields(likeness))
        else:
            _print_fingerprint(text.title, fingerprint)
    if likeness and not wants_json():
        windows, features = map(_format_share, (likeness.windows, likeness.features))
        click.echo(f"相似 likeness: 窗口 windows {windows} · 特征 features {features}")
    texts.fail_on_unreadable()


def _format_share(share: float | None) -> str:
    return "太短，无法判断 too short to say" if share is None else f"{share:.1%}"


def _likeness_fields(likeness: "Likeness | None") -> dict[str, object]:
    return {"likeness": to_plain(likeness)} if likeness else {}


def _print_fingerprint(title: str, shown: "ShownFingerprint") -> None:
    more = "…" if len(shown.letters) > _MAX_SHOWN_LETTERS else ""
    click.echo(
        f"{title}: {len(shown.letters)} 字母 letters, {shown.scheme}: {shown.grams} + {shown.frequencies} 特征 features"
    )
    click.echo(shown.letters[:_MAX_SHOWN_LETTERS] + more)
    rows = [(w.start, w.end, w.digits, "短 short" if w.short else "") for w in shown.windows[:_MAX_SHOWN_LETTERS]]
    made = f"窗口 window {shown.window} · 重叠 overlap {shown.overlap:g} · 值域 range [0,{shown.highest}]"
    print_table(("起 start", "止 end", "指纹 digits", ""), rows, title=made)
    click.echo(f"参考 reference: {shown.reference}")
    heat = [(h.initial, h.count, h.share, h.usual, f"{h.deviation:+.1f}") for h in shown.heat]
    print_table(("声母 initial", "次数 count", "比例 share", "常见 usual", "偏离 deviation"), heat)


# `wenhen extract`: print the main text of pages.


PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")
STATED_FIELDS = ("title", "author", "published_at", "site_name", "canonical", "language")  # omitted if a page has none
SERIES_FIELDS = ("chapter", "volume", "previous_page", "next_page", "previous_chapter", "next_chapter")  # likewise


_SHARE_DIGITS = 3


class _PagePrinter:
    """Prints pages, and counts those that could not be read."""

    def __init__(self) -> None:
        self.refused = 0

    def page(self, id: str, page: ExtractedPage, thread: ThreadPage) -> None:
        stated = {name: value for name in STATED_FIELDS if (value := getattr(page, name)) is not None}
        stated |= {name: value for name in SERIES_FIELDS if (value := getattr(page.place, name)) is not None}
        if may_hold_posts(thread[0]) and (posts := read_posts([thread], page.text)):
            stated["posts"] = posts
        line: dict[str, Any] = {"id": id, "text": page.text} | stated
        line |= {"charset": page.charset, "problems": page.problems}
        body, headers, _ = thread
        if detect_response_kind(body, headers, "") is None and not may_be_json(body):
            line["left_out"] = round(read_dropped_share(body, headers, page.text), _SHARE_DIGITS)
        print_json_line(to_plain(line))

    def refuse(self, what: str, reason: Message) -> None:
        stderr_console().print(f"{what}: {reason}", style="red", markup=False, soft_wrap=True)
        self.refused += 1


@click.command()
@click.argument("what", metavar="FILE|DIR|URL...", nargs=-1, required=True)
@click.option("--internal", is_flag=True, help="Allow private addresses.")
@click.pass_context
def extract(ctx: click.Context, what: tuple[str, ...], internal: bool) -> None:
    """Print the main text of pages, and what they state about themselves, as JSON lines.

    WHAT are saved pages, folders of them (files that end in .html, .htm, .xhtml, .shtml) and addresses, in any order. A
    line holds id (a file's name, below a folder its path in there; a page's address), text, charset, problems, and of
    markup left_out, the share of the page's visible prose that is not in the text (menus and notices aside), and
    where the page states them title, author, published_at, site_name, canonical, language, and of a text over several
    pages chapter, volume, previous_page, next_page, previous_chapter and next_chapter; of a thread its posts, with who
    wrote each, when, and where in the text it stands. Needs no server; an address is
    fetched by the rules of the crawler. Status 1 when something could not be read; the rest is printed.
    """
    printer = _PagePrinter()
    for id, file in _find_page_files([Path(path) for path in what if not _is_url(path)], printer):
        try:
            body = file.read_bytes()
            printer.page(id, read_page(body, (), ""), (body, (), None))
        except OSError as error:
            printer.refuse(str(file), Message("importing.unreadable", {"error": error.strerror or str(error)}))
        except Unreadable as error:
            printer.refuse(str(file), error.message)
    if urls := [url for url in what if _is_url(url)]:
        _print_fetched_pages(ctx, urls, printer, internal=internal)
    if printer.refused:
        raise click.ClickException(f"{printer.refused} could not be read")


def _is_url(what: str) -> bool:
    return what.startswith(("http://", "https://"))


def _find_page_files(paths: list[Path], printer: _PagePrinter) -> Iterator[tuple[str, Path]]:
    """Yield ids and files. If an id was used already, the path is the id instead."""
    seen: set[str] = set()
    for path in paths:
        if not path.exists():
            printer.refuse(str(path), Message("importing.no_such_file"))
            continue
        files = _pages_in_folder(path) if path.is_dir() else [(path.name, path)]
        if not files:
            printer.refuse(str(path), Message("importing.no_page", {"known": " ".join(PAGE_SUFFIXES)}))
        for id, file in files:
            yield (str(file) if id in seen else id), file
            seen.add(id)


def _pages_in_folder(folder: Path) -> list[tuple[str, Path]]:
    files = (file for file in sorted(folder.rglob("*")) if file.suffix.lower() in PAGE_SUFFIXES and file.is_file())
    return [(file.relative_to(folder).as_posix(), file) for file in files]


def _print_fetched_pages(ctx: click.Context, urls: list[str], printer: _PagePrinter, *, internal: bool) -> None:
    from wenhen.crawls.fetch import fetch_pages

    def deliver(url: str, capture: Capture, body: bytes) -> None:
        try:
            thread = (body, capture.headers, capture.fetched_at)
            printer.page(url, read_page(body, capture.headers, capture.url), thread)
        except Unreadable as error:
            printer.refuse(url, error.message)

    fetch_pages(command_settings(ctx), urls, deliver, printer.refuse, internal=internal)


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
def parallels(ctx: click.Context, what: tuple[str, ...], among: str, shortest: int, as_csv: bool, as_tei: bool) -> None:
    """List every passage that texts share, and that one of them repeats. Nobody is accused, and nothing is stored.

    WHAT are files and folders (the formats of `works import`) and - for standard input. A passage has N same characters
    or variants, with at most a few changes between them. A row a parallel: ids, offsets in code points, and both texts;
    with --json a line each, with the runs of the alignment. Status 1 when something could not be read.
    """
    from wenhen.texts.parallels import csv_lines, tei_document

    if as_csv + as_tei + wants_json() > 1:
        raise click.UsageError("name one of --json, --csv, --tei")
    inputs = InputTexts(what)
    texts = list(_read_texts(inputs))
    parallels_found = _find(ctx, texts, among, shortest)
    if as_csv:
        for line in csv_lines(parallels_found):
            click.echo(line)
    elif as_tei:
        click.echo(tei_document(parallels_found, shortest))
    elif wants_json():
        for parallel in parallels_found:
            print_json_line(to_plain(parallel))
    else:
        _print_rows(parallels_found)
    inputs.fail_on_unreadable()


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
