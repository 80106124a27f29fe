"""The crawled pages: sought by what is known of them, and each with its text, its captures and what came near it."""

from collections.abc import Iterator, Sequence
from typing import Final

from flask import Blueprint, render_template, request

from crawler.extract.posts.post import PlacedPost
from dashboard.frame.context import services
from dashboard.frame.paging import SIZE, paging
from dashboard.frame.permissions import needs
from dashboard.frame.strict_arguments import beginning, day, ending
from services.cases.page_history import SHOWN, compared, fetches
from services.texts.near_works import near_works
from services.texts.pages import OPENING, raw_body, text_of
from services.texts.posts import posts_of_page
from store.errors import BadInput
from store.records import PageFilter
from store.rules.role_rights import Right

blueprint = Blueprint("pages", __name__, url_prefix="/pages")

_FOUND: Final = 10_000  # pages that a search lists
_QUERY: Final = 200  # characters
_TEXT: Final = 20_000  # characters of a text that are shown


@blueprint.get("/")
@needs(Right.READ)
def find() -> str:
    """The pages that meet the conditions in the address, the last first seen first, or by title."""
    wanted, pages = _wanted(), services().store.pages
    page = paging(pages.count_found(wanted, _FOUND + 1), _FOUND)
    found = pages.search(wanted, skip=page.skip, limit=SIZE)
    return render_template("sites/pages.html", pages=found, paging=page, form=request.args)


@blueprint.get("/<string:id>")
@needs(Right.READ)
def show(id: str) -> str:
    """One page; the works near it are compared with it now."""
    page, product = services().store.pages.get(id), services().product
    text, posts = text_of(product, page), posts_of_page(product, page)
    return render_template(
        "sites/page.html",
        page=page,
        stretches=list(_stretches(text[:_TEXT], posts)),
        text=text,
        posts=posts,
        left_out=max(0, len(text) - _TEXT),
        raw=raw_body(product, page),
        opening=OPENING,
        near=near_works(product, page),
        cases=services().store.cases.of_pages([page.id]).get(page.id, []),
        fetches=fetches(product, page.id),
        fetches_shown=SHOWN,
    )


def _stretches(text: str, posts: Sequence[PlacedPost]) -> Iterator[tuple[PlacedPost | None, str]]:
    """The text in pieces, each with the post that it is; None for what stands between them."""
    at = 0
    for post in posts:
        if text[at : post.start].strip():
            yield None, text[at : post.start].strip("\n")
        if post.start < len(text):
            yield post, text[post.start : post.end]
        at = post.end
    if text[at:].strip():
        yield None, text[at:].strip("\n")


@blueprint.get("/<string:id>/captures/<int:moment>")
@needs(Right.READ)
def changes(id: str, moment: int) -> str:
    """What changed in the page's text from the capture before to this one."""
    page = services().store.pages.get(id)
    return render_template(
        "cases/capture.html", case=None, page=page, comparison=compared(services().product, page.id, moment)
    )


def _wanted() -> PageFilter:
    """The filter in the present address; its days are Beijing's, both inclusive."""

    def given(name: str) -> str | None:
        typed = request.args.get(name, "")[:_QUERY]
        return "".join(letter for letter in typed if letter.isprintable()).strip() or None

    return PageFilter(
        host=_lower(given("host")),
        title=given("title"),
        charset=_lower(given("charset")),
        status=_number(given("status")),
        since=beginning(day("since")),
        until=ending(day("until")),
    )


def _lower(given: str | None) -> str | None:
    return given and given.lower()


def _number(given: str | None) -> int | None:
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= 3):
        raise BadInput("asked.no_status", given=given[:40])
    return int(given)
