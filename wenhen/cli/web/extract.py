"""`wenhen extract`: what a page says, as the product reads it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from crawler.extract.extracted_page import ExtractedPage
from crawler.extract.posts.holds_posts import ThreadPage, may_hold_posts
from crawler.extract.read_page import read_page, read_posts
from store.errors import Unreadable
from store.messages import Message
from store.records import Capture
from wenhen.cli.shared.opening import settings_of
from wenhen.cli.shared.output import err, plain, print_json_line

PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".shtml")
STATED = ("title", "author", "published_at", "site_name", "canonical", "language")  # left out where a page has none
PLACE = ("chapter", "volume", "previous_page", "next_page", "previous_chapter", "next_chapter")  # the same


class _Printer:
    """Prints pages, and counts what could not be read."""

    def __init__(self) -> None:
        self.refused = 0

    def page(self, id: str, page: ExtractedPage, thread: ThreadPage) -> None:
        stated = {name: value for name in STATED if (value := getattr(page, name)) is not None}
        stated |= {name: value for name in PLACE if (value := getattr(page.place, name)) is not None}
        if may_hold_posts(thread[0]) and (posts := read_posts([thread], page.text)):
            stated["posts"] = posts
        line: dict[str, Any] = {"id": id, "text": page.text} | stated
        print_json_line(plain(line | {"charset": page.charset, "problems": page.problems}))

    def refuse(self, what: str, reason: Message) -> None:
        err().print(f"{what}: {reason}", style="red", markup=False, soft_wrap=True)
        self.refused += 1


@click.command()
@click.argument("what", metavar="FILE|DIR|URL...", nargs=-1, required=True)
@click.option("--internal", is_flag=True, help="The addresses may be at a private address.")
@click.pass_context
def extract(ctx: click.Context, what: tuple[str, ...], internal: bool) -> None:
    """Print the main text of pages, and what they state about themselves, as JSON lines.

    WHAT are saved pages, folders of them (files that end in .html, .htm, .xhtml, .shtml) and addresses, in any order. A
    line holds id (a file's name, below a folder its path in there; a page's address), text, charset and problems, and
    where the page states them title, author, published_at, site_name, canonical, language, and of a text over several
    pages chapter, volume, previous_page, next_page, previous_chapter and next_chapter; of a thread its posts, with who
    wrote each, when, and where in the text it stands. Needs no server; an address is
    fetched by the rules of the crawler. Status 1 when something could not be read; the rest is printed.
    """
    printer = _Printer()
    for id, file in _files([Path(path) for path in what if not _is_address(path)], printer):
        try:
            body = file.read_bytes()
            printer.page(id, read_page(body, (), ""), (body, (), None))
        except OSError as error:
            printer.refuse(str(file), Message("importing.unreadable", {"error": error.strerror or str(error)}))
        except Unreadable as error:
            printer.refuse(str(file), error.message)
    if urls := [url for url in what if _is_address(url)]:
        _fetched(ctx, urls, printer, internal=internal)
    if printer.refused:
        raise click.ClickException(f"{printer.refused} could not be read")


def _is_address(what: str) -> bool:
    return what.startswith(("http://", "https://"))


def _files(paths: list[Path], printer: _Printer) -> Iterator[tuple[str, Path]]:
    """Ids and files; where two would have one id, the later has its path instead."""
    seen: set[str] = set()
    for path in paths:
        if not path.exists():
            printer.refuse(str(path), Message("importing.no_such_file"))
            continue
        found = _pages_in(path) if path.is_dir() else [(path.name, path)]
        if not found:
            printer.refuse(str(path), Message("importing.no_page", {"known": " ".join(PAGE_ENDINGS)}))
        for id, file in found:
            yield (str(file) if id in seen else id), file
            seen.add(id)


def _pages_in(folder: Path) -> list[tuple[str, Path]]:
    files = (file for file in sorted(folder.rglob("*")) if file.suffix.lower() in PAGE_ENDINGS and file.is_file())
    return [(file.relative_to(folder).as_posix(), file) for file in files]


def _fetched(ctx: click.Context, urls: list[str], printer: _Printer, *, internal: bool) -> None:
    from services.crawls.fetch_without_storing import fetch_each

    def deliver(url: str, capture: Capture, body: bytes) -> None:
        try:
            thread = (body, capture.headers, capture.fetched_at)
            printer.page(url, read_page(body, capture.headers, capture.url), thread)
        except Unreadable as error:
            printer.refuse(url, error.message)

    fetch_each(settings_of(ctx), urls, deliver, printer.refuse, internal=internal)
