"""Where a page stands in a longer text: which page goes before and after it, and whether of the same chapter.

Sites call the link to the next page of a chapter and the one to the next chapter by the same words, so the address
decides: the pages of one chapter are /12/345.html, /12/345_2.html, /12/345_3.html, or count up in a parameter.
"""

import re
from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.canonical_addresses import canonical, linked
from crawler.extract.chapters.chapter_numbers import CHAPTER, VOLUME, number_in
from crawler.extract.chapters.chapter_place_record import ChapterPlace
from crawler.extract.chapters.thread_pages import is_beside, is_thread
from crawler.extract.page_lines import TextLine

SIGNS = re.compile(r"[上下前后後]一?\s*[页頁章节節篇回]")
EDGES = r"[\s\[【（(<《«←→»》>）)】\]：:,，-]*"
BEFORE = re.compile(rf"{EDGES}[上前]一?\s*([页頁章节節篇回]){EDGES}")
AFTER = re.compile(rf"{EDGES}[下后後]一?\s*([页頁章节節篇回]){EDGES}")
OF_A_NOVEL = "章節节回"
PAGE_OF = re.compile(
    r"(?P<stem>.*?)(?:[_-](?P<a>\d{1,3})|/(?P<b>\d{1,2})(?=/?$)|[?&](?:p|page|pn|pageno|page_no)=(?P<c>\d{1,3}))?"
    r"(?P<end>\.[a-z]{3,5})?/?$"
)
OF_THREADS = (("next", 1, "[rel~=next i][href]"), ("previous", -1, "[rel~=prev i][href], [rel~=previous i][href]"))
MOST_TYPED = 20  # links that say so
LONGEST = 24  # characters of the text of a link to a neighbouring page


def place_of(
    lines: Sequence[TextLine], tree: LexborHTMLParser, title: str | None, url: str, base: str = ""
) -> ChapterPlace:
    """Read a page's place from its title and its links, which are relative to `base`; nothing is known where `url` is
    empty but the numbers.
    """
    chapter = number_in(CHAPTER, title or "")
    volume = number_in(VOLUME, title or "")
    found: dict[str, str] = {}
    novel = False
    if any(line.linked and SIGNS.search(line.text) for line in lines):
        for text, target in _links(tree):
            direction, unit = _direction(text)
            if direction is None:
                continue
            novel = novel or unit in OF_A_NOVEL
            address = _address(base or url, target) if url else ""
            if address.startswith(("http://", "https://")) and address != canonical(url):
                step = 1 if direction == "next" else -1
                of_page = _is_beside(url, address, step, of_chapter=unit in OF_A_NOVEL) or (
                    unit not in OF_A_NOVEL and is_beside(canonical(url), address, step)
                )
                found.setdefault(f"{direction}_{'page' if of_page else 'chapter'}", address)
    if is_thread(url):
        found = _of_thread(tree, url, base or url) | found
    return ChapterPlace(chapter=chapter, volume=volume, novel=novel or (chapter is not None and bool(found)), **found)


def _of_thread(tree: LexborHTMLParser, url: str, base: str) -> dict[str, str]:
    """The neighbours of a thread's page by the type of the links to them (HTML Standard, 4.6.7)."""
    found: dict[str, str] = {}
    for direction, step, selector in OF_THREADS:
        targets = (node.attributes.get("href") or "" for node in tree.css(selector)[:MOST_TYPED])
        addresses = (_address(base, target) for target in targets)
        if beside := next((one for one in addresses if is_beside(canonical(url), one, step)), None):
            found[f"{direction}_page"] = beside
    return found


def _links(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    for node in tree.css("a[href]"):
        target = node.attributes.get("href") or ""
        if target and not target.startswith(("#", "javascript:")):
            text = node.text(deep=True) or ""
            if len(text) <= LONGEST:
                yield text, target


def _address(base: str, target: str) -> str:
    try:
        return canonical(linked(base, target))
    except ValueError:
        return ""


def _direction(text: str) -> tuple[str | None, str]:
    """Next or previous, and the word for what: of a page, of a chapter."""
    if found := AFTER.fullmatch(text):
        return "next", found[1]
    if found := BEFORE.fullmatch(text):
        return "previous", found[1]
    return None, ""


def _is_beside(url: str, other: str, step: int, *, of_chapter: bool) -> bool:
    """Whether two addresses are those of neighbouring pages of one text, by their numbers.

    /345.html and /345_2.html are. /12-1.html and /12-2.html may be two chapters, and are where the link says so.
    """
    here, there = _numbered(canonical(url)), _numbered(other)
    if here is None or there is None or here[0] != there[0] or there[1] - here[1] != step:
        return False
    return not of_chapter or not (here[2] and there[2]) or min(here[1], there[1]) > 1


def _numbered(address: str) -> tuple[str, int, bool] | None:
    """The address without its page's number, that number, 1 where there is none, and whether it was written."""
    found = PAGE_OF.fullmatch(address)
    if found is None:
        return None
    number = found["a"] or found["b"] or found["c"]
    return found["stem"] + (found["end"] or ""), int(number or 1), number is not None
