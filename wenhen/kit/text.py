"""Format text for storage, display, XML and search."""

import re
import unicodedata
from itertools import pairwise
from typing import Final
from unicodedata import normalize


def to_storable(text: str) -> str:
    """Return the text with `?` for what UTF-8 has no form for.

    For what tells of a failure, which must be kept: the name of a file, or a message with it, may hold lone surrogates.
    """
    return text.encode("utf-8", "replace").decode()


def percent(share: float) -> str:
    """One decimal, and never rounded up to the whole or down to nothing.

    >>> percent(0.9996), percent(1.0), percent(0.0002)
    ('99.9%', '100%', '<0.1%')
    """
    if 0.999 <= share < 1:
        return "99.9%"
    if 0 < share < 0.001:
        return "<0.1%"
    return "100%" if share >= 1 else f"{share:.1%}"


# What of a text can be seen: characters without a sign are told by the name of their code point.


_INVISIBLE_CATEGORIES: Final = frozenset(
    {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
)  # categories that no font has signs for
_WHITESPACE: Final = {0x09: " ", 0x0A: "\n", 0x0D: ""}


class _Signs(dict[int, str]):
    """Code point → how it is printed, filled as texts bring it."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        self[code] = f"⟨U+{code:04X}⟩" if unicodedata.category(sign) in _INVISIBLE_CATEGORIES else sign
        return self[code]


_SIGNS: Final = _Signs(_WHITESPACE)


def escape_invisible(text: str) -> str:
    """The text with the code point, `⟨U+202E⟩`, for each character without a sign: controls, marks that turn the
    direction of writing, private and unassigned ones.
    """
    return text.translate(_SIGNS)


# Which characters a document in XML can hold: a workbook, a Word file.


# XML 1.0 leaves these out, even escaped.
_ILLEGAL_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def replace_illegal_xml(text: str) -> str:
    """The text with a replacement mark for each character that XML cannot hold."""
    return _ILLEGAL_XML.sub("\ufffd", text)


# Text cut into what an index can find: pairs of neighbouring Han characters, and whole words of everything else.


_TERM_RUN: Final = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]+|[^\W_\u3400-\u9fff\U00020000-\U0003ffff]+")
_HAN_CHARACTER: Final = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")
_MAX_TERM_CHARACTERS: Final = 200  # terms of one text


def search_terms(*texts: str | None, most: int = _MAX_TERM_CHARACTERS) -> list[str]:
    """What a document is found by.

    >>> search_terms("潮汐簿 第12章", "https://copies.example/a")
    ['潮', '潮汐', '汐', '汐簿', '簿', '第', '12', '章', 'https', 'copies', 'example', 'a']
    """
    terms: dict[str, None] = {}
    for run in _term_runs(" ".join(text for text in texts if text)):
        if _HAN_CHARACTER.match(run):
            for here, after in pairwise([*run, ""]):
                terms.setdefault(here)
                if after:
                    terms.setdefault(here + after)
        else:
            terms.setdefault(run)
    return list(terms)[:most]


def query_terms(query: str) -> list[str]:
    """What a document has to hold for this query: the pairs of its Han characters, one alone, its words.

    >>> query_terms("潮汐簿 Copies")
    ['潮汐', '汐簿', 'copies']
    """
    terms: dict[str, None] = {}
    for run in _term_runs(query):
        if _HAN_CHARACTER.match(run) and len(run) > 1:
            terms.update(dict.fromkeys(here + after for here, after in pairwise(run)))
        else:
            terms.setdefault(run)
    return list(terms)


def term_conditions(query: str) -> list[dict[str, object]]:
    """The conditions on `terms` that a document found by this query meets; a word may go on after what was asked for.

    Empty for a query without any word: an index has nothing to say about it.
    """
    return [
        {"terms": word if _HAN_CHARACTER.match(word) else {"$regex": f"^{re.escape(word)}"}}
        for word in query_terms(query)
    ]


def is_single_term(query: str) -> bool:
    """Whether the index gives what this query finds as one run of its keys: one pair of Han characters, or one alone.

    >>> is_single_term("河"), is_single_term("潮汐"), is_single_term("潮汐簿"), is_single_term("tide")
    (True, True, False, False)
    """
    words = query_terms(query)
    return len(words) == 1 and _HAN_CHARACTER.match(words[0]) is not None


def _term_runs(text: str) -> list[str]:
    runs: list[str] = _TERM_RUN.findall(normalize("NFKC", text).casefold())
    return runs
