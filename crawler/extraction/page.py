"""Extract main text and metadata from a page: HTML, JSON or a document. Runs in the child process."""

from collections.abc import Mapping, Sequence
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from crawler.addresses import find_base_url
from crawler.extraction.boilerplate.main_text import extract_main_text, is_manual_page, select_text_lines
from crawler.extraction.boilerplate.non_chinese import ChosenLines, choose_lines, is_chinese
from crawler.extraction.boilerplate.site_notices import is_legal_title
from crawler.extraction.boilerplate.watermarks import strip_watermarks
from crawler.extraction.charset import DecodedText, decode_bytes, header_charset
from crawler.extraction.documents.document import join_parts
from crawler.extraction.documents.file_kinds import detect_response_kind, response_file_name
from crawler.extraction.fonts.detection import detect_font_obfuscation
from crawler.extraction.inline_data import (
    LinkedData,
    decode_written,
    extract_inline_prose,
    find_article,
    linked_data_text,
)
from crawler.extraction.links import find_chapter_place
from crawler.extraction.markup_signs import (
    AUTHOR_WORD,
    BASE_TAG,
    BYLINE_WORD,
    FORUM_SIGN,
    LINKED_DATA_TYPE,
    STYLE_TAG,
    TIME_TAG,
    WECHAT_SIGN,
    ForumSoftware,
    scan_markup,
)
from crawler.extraction.metadata import (
    detect_language,
    find_account,
    find_author,
    find_canonical_url,
    find_site_name,
    find_title,
    find_title_place,
    read_metas,
)
from crawler.extraction.model import CUT_OFF_PROBLEM, NO_TEXT_PROBLEM, ExtractedPage, PictureText, Post
from crawler.extraction.page_lines import PageBlocks, extract_blocks
from crawler.extraction.parsing import bound_markup, is_text_left_out
from crawler.extraction.pictures import find_picture_places, insert_picture_text
from crawler.extraction.posts.forum_markup import detect_forum_software, find_opening_post, remove_post_furniture
from crawler.extraction.posts.thread import extract_stated_posts
from crawler.extraction.publication_time import find_publication_time
from crawler.extraction.scrolling.json_responses import (
    extract_json_metadata,
    extract_json_prose,
    may_be_json,
    parse_json,
)
from crawler.extraction.visibility import may_hold_doubtful_spans, remove_doubtful_spans

MIN_STATED_CHARACTERS = 80  # characters; a shorter articleBody is only a summary

_MIN_REST = 3  # times as long a page's text may be as its text without doubtful spans
MIN_SHOWN_CHARACTERS = 300  # characters; if a page shows so many, its scripts are not searched
MIN_DATA_RATIO = 4  # ratio of prose in data to visible prose, from which the data is the page's text


def extract_html(
    body: bytes,
    headers: Sequence[tuple[str, str]],
    url: str,
    pictures: Mapping[str, PictureText] | None = None,
    text_at: str | None = None,
    styles: Sequence[str] = (),
) -> ExtractedPage:
    """Extract a page. Any bytes give a result. Without a text it is empty and states the problem.

    pictures: recognized text by the addresses of the page's pictures. text_at: a CSS selector of the text. Without a
    match the text is detected. styles: the style sheets that the page links to.
    """
    decoded = decode_bytes(body, header_charset(headers))
    problems = list(decoded.problems)
    markup = decoded.markup.replace(b"\0", b"")  # the parser takes a NUL for the end
    small = markup.lower()  # searching the markup takes a tenth of searching the tree
    html = bound_markup(decoded.text, small)
    if html is not decoded.text:
        markup = html.encode("utf-8", "replace").replace(b"\0", b"")
        small = markup.lower()
    tree = LexborHTMLParser(markup)
    named = scan_markup(markup)
    base = find_base_url(tree, url) if BASE_TAG in named else url
    put = insert_picture_text(tree, base, pictures or {})
    programs = detect_forum_software(tree, html, markup) if FORUM_SIGN in named else ()
    opening = find_opening_post(tree, programs) or Post(lines=())
    remove_post_furniture(tree, programs)
    blocks = extract_blocks(tree, styles, own_styles=STYLE_TAG in named)
    if blocks.cut or (html is not decoded.text and is_text_left_out(decoded.text)):
        problems.append(CUT_OFF_PROBLEM)
    stated = find_article(tree) if LINKED_DATA_TYPE in named else {}
    metas = read_metas(tree)
    canonical = find_canonical_url(tree, metas, base)
    stated_site = find_site_name(tree, metas, stated)
    title = find_title(tree, metas, stated, stated_site)
    signed = tree if AUTHOR_WORD in named or BYLINE_WORD in named else None
    place = find_chapter_place(blocks.lines, tree, title, url or canonical or "", base)
    lines = select_text_lines(tree, text_at) if text_at else []
    chosen = (
        ChosenLines(lines, judged=False)
        if lines
        else _text_lines(tree, blocks, stated, title, None if programs else html)
    )
    lines = strip_watermarks(chosen.lines) if place.novel else chosen.lines
    if not lines:
        problems.append(NO_TEXT_PROBLEM)
    title_place = find_title_place(blocks.lines, title)
    account = find_account(tree, html) if WECHAT_SIGN in named else None
    site = account or stated_site
    text = "\n".join(lines)
    unread = detect_font_obfuscation(text, html)
    return ExtractedPage(
        text=text,
        charset=decoded.charset,
        title=title,
        author=opening.author or find_author(signed, metas, stated, blocks.lines, title_place, site),
        published_at=opening.written_at
        or find_publication_time(
            tree if TIME_TAG in named else None,
            html,
            metas,
            stated,
            blocks.lines,
            title_place,
            len(title or ""),
            url or canonical or "",
        ),
        site_name=site,
        canonical=canonical,
        language=detect_language(tree, metas, stated, text),
        problems=tuple(problems),
        lost=(unread,) if unread else (),
        pictures=find_picture_places(text, put),
        place=place,
        judged=chosen.judged,
        # The last thing that is read, because it changes the tree.
        without_doubtful=None if text_at or put else _text_without_doubtful_spans(markup, tree, programs, text, styles),
    )


def _text_without_doubtful_spans(
    markup: bytes, tree: LexborHTMLParser, programs: Sequence[ForumSoftware], text: str, styles: Sequence[str]
) -> str | None:
    """Return the text without spans that a reader may not see, or None for a page without many of them.

    tree: of the markup, without what forum programs add to posts. It is changed.
    """
    if not may_hold_doubtful_spans(markup, len(text)):
        return None
    if programs:
        tree = LexborHTMLParser(markup)
    if not remove_doubtful_spans(tree, len(text)):
        return None
    blocks = extract_blocks(tree, styles)
    manual = is_manual_page(tree)
    shown = extract_main_text(blocks, manual=manual)
    if not manual and _is_in_another_language(blocks):
        shown = choose_lines(shown, blocks, tree.html or "").lines
    other = "\n".join(shown)
    return other if other != text and len(other) * _MIN_REST >= len(text) else None


def _text_lines(
    tree: LexborHTMLParser, blocks: PageBlocks, stated: LinkedData, title: str | None, html: str | None
) -> ChosenLines:
    """Return the lines of the page's text, from wherever the page holds it.

    html: the markup, for the choice among lines in other languages. None for a forum, which is read as its program
    writes it, as manuals and pages of terms are.
    """
    manual = is_manual_page(tree)
    legal = title is not None and is_legal_title(title)
    chosen = ChosenLines(extract_main_text(blocks, manual=manual, own_voice=legal, title=title or ""), judged=False)
    if html and chosen.lines and not (manual or legal) and _is_in_another_language(blocks):
        chosen = choose_lines(chosen.lines, blocks, html)
    body = decode_written(linked_data_text(stated, "articleBody") or "")
    lines = _add_inline_prose(_choose_longer(chosen.lines, body), tree)
    lines = lines or extract_main_text(blocks, manual=manual, own_voice=True, title=title or "")
    return ChosenLines(lines, chosen.judged)


def _is_in_another_language(blocks: PageBlocks) -> bool:
    return not is_chinese("\n".join(line.text for line in blocks.lines))


def _add_inline_prose(shown: list[str], tree: LexborHTMLParser) -> list[str]:
    """Add the prose in the page's data, if it shows next to nothing without a script."""
    length = sum(map(len, shown))
    if length >= MIN_SHOWN_CHARACTERS:
        return shown
    data = [line.text for post in extract_stated_posts(tree) for line in post.lines] or extract_inline_prose(tree)
    return (
        [*shown, *(line for line in data if line not in shown)]
        if sum(map(len, data)) > MIN_DATA_RATIO * length
        else shown
    )


def _choose_longer(shown: list[str], stated: str) -> list[str]:
    """Return the text in the page's structured data, if a script must show it first."""
    if len(stated) < MIN_STATED_CHARACTERS or len(stated) < 2 * sum(map(len, shown)):
        return shown
    if "</" in stated:
        return [line.text for line in extract_blocks(LexborHTMLParser(stated)).lines]
    return [" ".join(line.split()) for line in stated.splitlines() if line.strip()]


# A JSON response as a page: its strings of prose in order.


def extract_json(value: Any, decoded: DecodedText) -> ExtractedPage:
    """Extract the text of a JSON response. If it is shorter than a page's, it is empty and that is noted."""
    lines: Sequence[str] = extract_json_prose(value)
    problems = decoded.problems if lines else (*decoded.problems, NO_TEXT_PROBLEM)
    return ExtractedPage(
        text="\n".join(lines), charset=decoded.charset, problems=tuple(problems), **extract_json_metadata(value)
    )


def extract_page(
    body: bytes,
    headers: Sequence[tuple[str, str]],
    url: str,
    pictures: Mapping[str, PictureText] | None = None,
    text_at: str | None = None,
    styles: Sequence[str] = (),
) -> ExtractedPage:
    """Extract a page, be it a file, JSON or markup. Raises `Unreadable` for an unreadable file.

    pictures: recognized text, by the picture's address or by the page number of a file. None if nobody will read
    pictures. text_at, styles: as for `extract_html`. Files have none.
    """
    kind = detect_response_kind(body, headers, url)
    if kind is None:
        if may_be_json(body):
            decoded = decode_bytes(body, header_charset(headers))
            if (value := parse_json(decoded.text)) is not None:
                return extract_json(value, decoded)
        return extract_html(body, headers, url, pictures, text_at, styles)
    from crawler.extraction.documents.read_document import (
        read_document,  # imports all document libraries
    )

    document = read_document(body, kind, header_charset(headers), pictures)
    text, parts = join_parts(document.parts)
    return ExtractedPage(
        text=text,
        charset=document.charset,
        title=document.title or response_file_name(headers, url)[0] or None,
        author=document.author,
        parts=parts,
        lost=document.lost,
        pictures=find_picture_places(text, document.pictures),
        scans=document.scans,
    )
