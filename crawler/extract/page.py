"""Bytes of a page to its main text, title, author, time of publication and what else it states."""

from collections.abc import Mapping, Sequence

from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.canonical_addresses import base_of
from crawler.extract import metadata
from crawler.extract.chapters.chapter_place import place_of
from crawler.extract.charset import decode, header_charset
from crawler.extract.choosing.chosen_text import lines_at
from crawler.extract.choosing.main_text import main_text
from crawler.extract.choosing.manual_pages import is_of_a_manual
from crawler.extract.choosing.site_notices import is_called_after_the_law
from crawler.extract.extracted_page import CUT_OFF, NO_TEXT, ExtractedPage
from crawler.extract.fonts.scrambled import scrambled
from crawler.extract.inline_data import prose_in_data
from crawler.extract.json_ld import Stated, article_of, text_at
from crawler.extract.language import language
from crawler.extract.markup.bounded_markup import bounded
from crawler.extract.named_in_markup import AUTHOR, BASE, BYLINE, FORUM, LINKED_DATA, STYLE, TIME, named_in
from crawler.extract.page_lines import PageBlocks, blocks_of
from crawler.extract.pictures.pictures_in_text import places_in, put_in
from crawler.extract.posts.in_data import posts_in_data
from crawler.extract.posts.in_markup import opening_post, programs_of
from crawler.extract.posts.post import Post
from crawler.extract.posts.post_furniture import remove_post_furniture
from crawler.extract.publication_time import published_at, times_in
from crawler.extract.watermarks import without_watermarks
from store.records import PictureText

LEAST_STATED = 80  # characters; a shorter articleBody is no more than a summary

LEAST_SHOWN = 300  # characters; of a page that shows as many nothing is looked for in its scripts
DATA_TIMES = 4  # as much prose as is shown is there as data, at least, where that is text of the page


def extract(
    body: bytes,
    headers: Sequence[tuple[str, str]],
    url: str,
    pictures: Mapping[str, PictureText] | None = None,
    text_at: str | None = None,
    styles: Sequence[str] = (),
) -> ExtractedPage:
    """Read a page; any bytes give a result, with an empty text and a problem noted where there is none to find.

    pictures: what is written in pictures of the page, by their addresses. text_at: a CSS selector of its text, which
    is looked for where it fits nothing. styles: the style sheets that the page links to.
    """
    decoded = decode(body, header_charset(headers))
    problems = list(decoded.problems)
    markup = decoded.markup.replace(b"\0", b"")  # the parser takes a NUL for the end
    small = markup.lower()  # a search of the markup takes a tenth of one through the tree
    html = bounded(decoded.text, small)
    if html is not decoded.text:
        markup = html.encode("utf-8", "replace").replace(b"\0", b"")
        small = markup.lower()
    tree = LexborHTMLParser(markup)
    named = named_in(markup)
    base = base_of(tree, url) if BASE in named else url
    put = put_in(tree, base, pictures or {})
    programs = programs_of(tree, html, markup) if FORUM in named else ()
    opening = opening_post(tree, programs) or Post(lines=())
    remove_post_furniture(tree, programs)
    blocks = blocks_of(tree, styles, own_styles=STYLE in named)
    if len(html) < len(decoded.text) or blocks.cut:
        problems.append(CUT_OFF)
    stated = article_of(tree) if LINKED_DATA in named else {}
    metas = metadata.metas_of(tree)
    canonical = metadata.canonical_address(tree, metas, base)
    title = metadata.title(tree, metas, stated)
    signed = tree if AUTHOR in named or BYLINE in named else None
    place = place_of(blocks.lines, tree, title, url or canonical or "", base)
    lines = (lines_at(tree, text_at) if text_at else []) or _lines(tree, blocks, stated, title)
    if place.novel:
        lines = without_watermarks(lines)
    if not lines:
        problems.append(NO_TEXT)
    head = [line.text for line in blocks.lines[: metadata.HEAD_LINES]]
    text = "\n".join(lines)
    unread = scrambled(text, html)
    return ExtractedPage(
        text=text,
        charset=decoded.charset,
        title=title,
        author=opening.author or metadata.author(signed, metas, stated, head),
        published_at=opening.written_at
        or published_at(times_in(tree) if TIME in named else (), metas, stated, head, url or canonical or ""),
        site_name=metadata.site_name(tree, metas, stated),
        canonical=canonical,
        language=language(tree, metas, stated, text),
        problems=tuple(problems),
        lost=(unread,) if unread else (),
        pictures=places_in(text, put),
        place=place,
    )


def _lines(tree: LexborHTMLParser, blocks: PageBlocks, stated: Stated, title: str | None) -> list[str]:
    """The lines that are the page's text, wherever it holds them."""
    manual = is_of_a_manual(tree)
    shown = main_text(blocks, manual=manual, own_voice=title is not None and is_called_after_the_law(title))
    lines = _shown_by_script(_longer(shown, text_at(stated, "articleBody")), tree)
    return lines or main_text(blocks, manual=manual, own_voice=True)


def _shown_by_script(shown: list[str], tree: LexborHTMLParser) -> list[str]:
    """The prose that the page carries as data, where it shows next to nothing without a script."""
    length = sum(map(len, shown))
    if length >= LEAST_SHOWN:
        return shown
    data = [line.text for post in posts_in_data(tree) for line in post.lines] or prose_in_data(tree)
    return (
        [*shown, *(line for line in data if line not in shown)] if sum(map(len, data)) > DATA_TIMES * length else shown
    )


def _longer(shown: list[str], stated: str | None) -> list[str]:
    """The text that the page's structured data holds, where a script would have to show it first."""
    if not stated or len(stated) < LEAST_STATED or len(stated) < 2 * sum(map(len, shown)):
        return shown
    if "</" in stated:
        return [line.text for line in blocks_of(LexborHTMLParser(stated)).lines]
    return [" ".join(line.split()) for line in stated.splitlines() if line.strip()]
