"""Search crawled pages, and show one with its text, captures (also from regions) and near works."""

from collections.abc import Iterator, Sequence
from typing import Final

from flask import Blueprint, Response, render_template, request

from crawler.extraction.model import PlacedPost
from dashboard.frame.context import current_actor, language, services, t
from dashboard.frame.requests import (
    ROWS_PER_PAGE,
    current_paging,
    day_argument,
    day_end,
    day_start,
    parse_number,
    printable_words,
    redirect_to,
)
from dashboard.frame.security import needs
from matcher.alignment.aligned_span import count_characters
from wenhen.cases.page_history import MAX_SHOWN_CAPTURES, compare_captures, diff_texts, list_fetches
from wenhen.crawls.regions import DIRECT, find_regional_capture, regional_view, request_regional_captures
from wenhen.kit.errors import BadInput, Conflict
from wenhen.kit.rights import Right
from wenhen.pages.model import PageFilter
from wenhen.pages.service import OPENING_CHARACTERS, load_raw_body, page_text, posts_of_page
from wenhen.sites.service import find_named_host, is_known_host
from wenhen.texts.source_lookup import find_near_works

pages_blueprint = Blueprint("pages", __name__, url_prefix="/pages")

_MAX_PAGES_FOUND: Final = 10_000  # pages that a search lists
_MAX_QUERY_CHARACTERS: Final = 200  # characters
_MAX_TEXT_CHARACTERS: Final = 20_000  # characters of a text that the page shows


@pages_blueprint.get("/")
@needs(Right.READ)
def find() -> str:
    """List the pages that match the conditions in the address, newest first sighting first, or by title."""
    wanted, pages = _requested_filter(), services().store.pages
    page = current_paging(pages.count_found(wanted, _MAX_PAGES_FOUND + 1), _MAX_PAGES_FOUND)
    rows = pages.search(wanted, skip=page.skip, limit=ROWS_PER_PAGE)
    unknown = wanted.host if wanted.host and not rows and not is_known_host(services().product, wanted.host) else None
    return render_template("sites/pages.html", pages=rows, paging=page, form=request.args, unknown_host=unknown)


@pages_blueprint.get("/<string:id>")
@needs(Right.READ)
def show(id: str) -> str:
    """Show one page. Compare it now with the works near it."""
    page, product = services().store.pages.get(id), services().product
    text, posts = page_text(product, page), posts_of_page(product, page)
    return render_template(
        "sites/page.html",
        page=page,
        stretches=list(_text_by_post(text[:_MAX_TEXT_CHARACTERS], posts)),
        text=text,
        posts=posts,
        left_out=count_characters(text[_MAX_TEXT_CHARACTERS:]),
        raw=load_raw_body(product, page),
        opening=OPENING_CHARACTERS,
        near=find_near_works(product, page),
        cases=services().store.cases.of_pages([page.id]).get(page.id, []),
        fetches=list_fetches(product, page.id),
        fetches_shown=MAX_SHOWN_CAPTURES,
        regional=regional_view(product, page.id),
    )


@pages_blueprint.post("/<string:id>/regions")
@needs(Right.CRAWL)
def capture_regions(id: str) -> Response:
    """Have a worker capture the page from the chosen regions."""
    number, notice, look = request.form.get("case", type=int), t("regions.begun"), "message"
    try:
        request_regional_captures(current_actor(), id, request.form.getlist("region") or [DIRECT])
    except (BadInput, Conflict) as error:
        notice, look = error.message.text(language()), "refused"
    if number is None:
        return redirect_to("pages.show", notice, look, id=id, _anchor="regions")
    return redirect_to("case.show", notice, look, number=number, _anchor="regions")


@pages_blueprint.get("/<string:id>/regions/<string:capture>")
@needs(Right.READ)
def regional(id: str, capture: str) -> str:
    """Show one capture from a region, and how its text differs from that of the page at that time."""
    product = services().product
    shown = find_regional_capture(product, id, capture)
    texts = [product.store.blobs.get_text(digest) for digest in (shown.page_text_digest, shown.text_digest) if digest]
    parts = diff_texts(*texts) if len(texts) == 2 else None
    return render_template("sites/region.html", page=services().store.pages.get(id), shown=shown, parts=parts)


def _text_by_post(text: str, posts: Sequence[PlacedPost]) -> Iterator[tuple[PlacedPost | None, str]]:
    """Split the text in stretches with their posts. Text between posts has none."""
    offset = 0
    for post in posts:
        if text[offset : post.start].strip():
            yield None, text[offset : post.start].strip("\n")
        if post.start < len(text):
            yield post, text[post.start : post.end]
        offset = post.end
    if text[offset:].strip():
        yield None, text[offset:].strip("\n")


@pages_blueprint.get("/<string:id>/captures/<int:moment>")
@needs(Right.READ)
def changes(id: str, moment: int) -> str:
    """Show how the page's text changed since the previous capture."""
    page = services().store.pages.get(id)
    return render_template(
        "cases/capture.html", case=None, page=page, comparison=compare_captures(services().product, page.id, moment)
    )


def _requested_filter() -> PageFilter:
    """Parse the filter in the current address. Its days are in Beijing time, and both are inclusive."""

    def argument(name: str) -> str | None:
        return printable_words(request.args.get(name, "")[:_MAX_QUERY_CHARACTERS])

    charset = argument("charset")
    return PageFilter(
        host=find_named_host(services().product, host) if (host := argument("host")) else None,
        title=argument("title"),
        charset=charset and charset.lower(),
        status=_status_argument(argument("status")),
        since=day_start(day_argument("since")),
        until=day_end(day_argument("until")),
    )


def _status_argument(given: str | None) -> int | None:
    if given is None:
        return None
    status = parse_number(given, digits=3)
    if status is None:
        raise BadInput("asked.no_status", given=given[:40])
    return status
