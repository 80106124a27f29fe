"""Every pattern that may meet foreign text takes time with the length of the text, by how it is written.

Python's patterns try again: what repeats without bound at the beginning, or twice in a row over the same characters,
takes time with the square of a text that almost fits, and a repeat of repeats takes it twice as long with each letter.
"""

import importlib
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sre: Any = importlib.import_module("re._constants")  # Python documents neither; a change would show below
_parser: Any = importlib.import_module("re._parser")
ROOT = Path(__file__).parents[3]
READERS = ("crawler", "fingerprinter", "matcher", "wenhen", "dashboard")
OWN_TEXTS = ("wenhen/comparison/", "wenhen/demo/")  # they read what stands beside them
REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT}
MANY = 100  # times; fewer are bounded work at each place
SAMPLE = string.printable + "一第章。，：（）【】\u3000é\x80"

# Flagged, and linear all the same: `module.NAME` and why.
LINEAR = {
    "crawler.addresses.NEXT_LINK_TEXT": "it has to fit from the first character on",
    "crawler.extraction.links.PREVIOUS_LINK": "the same, and texts of links have 24 characters",
    "crawler.extraction.links.NEXT_LINK": "the same",
    "crawler.extraction.boilerplate.line_classification.DATE_OR_BUTTON": "lines of 60 characters",
    "crawler.extraction.boilerplate.line_classification.BUTTON_LINE": "lines of 60 characters",
    "crawler.extraction.charset.META_CHARSET": "8,192 bytes, and 400 of them at each place",
    "crawler.extraction.charset.XML_ENCODING": "it has to fit from the first character on",
    "crawler.extraction.boilerplate.page_sections.PART_HEADING": "lines of 16 characters",
    "crawler.extraction.boilerplate.link_lists.REFERENCE_HEADING": "lines of 16 characters",
    "crawler.extraction.metadata._LABELLED_NAME": "lines of 100 characters",
    "crawler.extraction.metadata._REPORTER": "lines of 100 characters",
    "crawler.extraction.metadata.TITLE_SEPARATORS": "what follows the repeat may be missing: nothing is tried again",
    "crawler.extraction.posts.forum_markup._FURNITURE_LINE": "texts of 80 characters",
    "crawler.extraction.posts.forum_markup._ATTRIBUTION_LINE": "200 characters",
    "crawler.extraction.posts.author_and_time._CHINESE_AGO": "60 characters",
    "crawler.extraction.posts.author_and_time._NAMED_DAY": "60 characters",
    "crawler.extraction.posts.author_and_time._JUST_NOW": "60 characters",
    "crawler.extraction.posts.author_and_time._WEEKDAY": "60 characters",
    "crawler.extraction.dates.DATE_PATTERN": "200 characters",
    "crawler.extraction.dates._ENGLISH_DATES": "200 characters",
    "crawler.site_access.COOKIE_FILE_COMMENT": "it has to fit from the first character on",
    "crawler.fetch.redirects.REDIRECT_SCRIPT": "pages of 20,000 bytes",
    "crawler.spiders.sitemaps_and_feeds.PROLOGUE": "nothing follows the repeat for which it would be tried again",
    "fingerprinter.words.text._LINE_PATTERNS": "lines of 80 characters, or possessive",
    "wenhen.discovery.service._CLAUSE": "what follows the repeat may be missing: nothing is tried again",
    "wenhen.works.importers.drafts.DATE_PATTERN": "40 characters",
    "wenhen.works.importers.file_reader._MARKDOWN_HEADING": "the first 2,000 characters",
}


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    for room in READERS:
        for file in sorted((ROOT / room).rglob("*.py")):
            path = file.relative_to(ROOT).as_posix()
            if path.startswith(OWN_TEXTS) or "re.compile(" not in file.read_text("utf-8"):
                continue
            name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            module = importlib.import_module(name)
            for key, value in vars(module).items():
                yield from ((f"{name}.{key}", one) for one in _inside(value))


def _inside(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _inside(one)


def repeats(node: Any) -> bool:
    return node[0] in REPEATS and node[1][1] >= MANY


def children(node: Any) -> list[Any]:
    """The sequences inside of a node."""
    kind, value = node
    if kind in REPEATS or kind is sre.POSSESSIVE_REPEAT:
        return [value[2]]
    if kind is sre.SUBPATTERN:
        return [value[3]]
    if kind is sre.BRANCH:
        return list(value[1])
    if kind is sre.ATOMIC_GROUP:
        return [value]
    return []


def many_repeat(sequence: Any) -> bool:
    """Whether something in it repeats without bound and may be tried again."""
    return any(
        node[0] not in (sre.ATOMIC_GROUP, sre.POSSESSIVE_REPEAT)
        and (repeats(node) or any(map(many_repeat, children(node))))
        for node in sequence
    )


def may_be_empty(node: Any) -> bool:
    kind, value = node
    if kind in REPEATS or kind is sre.POSSESSIVE_REPEAT:
        return value[0] == 0 or all(map(may_be_empty, value[2]))
    if kind is sre.BRANCH:
        return any(all(map(may_be_empty, one)) for one in value[1])
    if kind in (sre.SUBPATTERN, sre.ATOMIC_GROUP):
        return all(map(may_be_empty, children(node)[0]))
    return kind in (sre.AT, sre.ASSERT, sre.ASSERT_NOT)


def single(sequence: Any) -> set[str]:
    """Which characters of a sample a sequence can begin with or consist of, roughly: none for what is no class."""
    found: set[str] = set()
    for node in sequence:
        kind, value = node
        if kind is sre.ANY:
            found |= set(SAMPLE)
        elif kind is sre.LITERAL:
            found.add(chr(value))
        elif kind is sre.NOT_LITERAL:
            found |= set(SAMPLE) - {chr(value)}
        elif kind is sre.IN:
            found |= {one for one in SAMPLE if _in(value, one)}
        else:
            for inner in children(node):
                found |= single(inner)
    return found


def _in(items: Any, character: str) -> bool:
    hit, negate = False, False
    for kind, value in items:
        if kind is sre.NEGATE:
            negate = True
        elif kind is sre.LITERAL:
            hit |= ord(character) == value
        elif kind is sre.RANGE:
            hit |= value[0] <= ord(character) <= value[1]
        elif kind is sre.CATEGORY:
            hit |= bool(re.match(CATEGORIES[value], character))
    return hit != negate


CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}


def faults(sequence: Any, *, first: bool = True) -> Iterator[str]:
    """What in a sequence may be tried again and again."""
    before: list[Any] = []  # repeats up to here, with nothing between them that has to be there
    for place, node in enumerate(sequence):
        if repeats(node):
            inner = node[1][2]
            if many_repeat(inner):
                yield "a repeat of repeats"
            guarded = any(one[0] in (sre.ASSERT, sre.ASSERT_NOT, sre.AT) for one in sequence[:place])
            if first and place + 1 < len(sequence) and not guarded:
                yield "begins with a repeat"
            if any(single(inner) & single(earlier) for earlier in before):
                yield "two repeats over the same characters"
            before.append(inner)
        else:
            for inner in children(node):
                yield from faults(inner, first=first)
            if not may_be_empty(node):
                before = [earlier for earlier in before if single(earlier) & single([node])]
        first = first and may_be_empty(node) and node[0] is not sre.AT


FOUND = [(name, one) for name, one in patterns()]


@pytest.mark.parametrize(("name", "pattern"), FOUND, ids=[name for name, _ in FOUND])
def test_a_pattern_takes_time_with_the_length_of_its_text(name: str, pattern: re.Pattern[Any]) -> None:
    if name not in LINEAR:
        assert set(faults(_parser.parse(pattern.pattern, pattern.flags))) == set()


def test_what_takes_time_with_more_than_the_length_is_seen() -> None:
    for written in (r"(a+)+$", r"\s*x", r"a\s*\s*b", r"x(?:\d+|a)*y", r"(?:\w+://|b)\S*", r"a.*b.*c"):
        assert set(faults(_parser.parse(written, 0))), written
    for written in (r"ab+", r"(?<!\w)\w+:", r"x\s*y", r"^\s*x", r"(?>(?>a+))b"):
        assert not set(faults(_parser.parse(written, 0))), written


def test_the_list_of_what_is_linear_all_the_same_names_patterns_that_exist() -> None:
    assert set(LINEAR) <= {name for name, _ in FOUND}
