"""Text cut into what an index can find: pairs of neighbouring Han characters, and whole words of everything else."""

import re
from itertools import pairwise
from typing import Final
from unicodedata import normalize

_RUN: Final = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]+|[^\W_\u3400-\u9fff\U00020000-\U0003ffff]+")
_HAN: Final = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")
_MOST: Final = 200  # terms of one text


def terms(*texts: str | None, most: int = _MOST) -> list[str]:
    """What a document is found by.

    >>> terms("潮汐簿 第12章", "https://copies.example/a")
    ['潮', '潮汐', '汐', '汐簿', '簿', '第', '12', '章', 'https', 'copies', 'example', 'a']
    """
    found: dict[str, None] = {}
    for run in _runs(" ".join(text for text in texts if text)):
        if _HAN.match(run):
            for here, after in pairwise([*run, ""]):
                found.setdefault(here)
                if after:
                    found.setdefault(here + after)
        else:
            found.setdefault(run)
    return list(found)[:most]


def wanted(query: str) -> list[str]:
    """What a document has to hold for this query: the pairs of its Han characters, one alone, its words.

    >>> wanted("潮汐簿 Copies")
    ['潮汐', '汐簿', 'copies']
    """
    found: dict[str, None] = {}
    for run in _runs(query):
        if _HAN.match(run) and len(run) > 1:
            found.update(dict.fromkeys(here + after for here, after in pairwise(run)))
        else:
            found.setdefault(run)
    return list(found)


def found_by(query: str) -> list[dict[str, object]]:
    """The conditions on `terms` that a document found by this query meets; a word may go on after what was asked for.

    Empty for a query without any word: an index has nothing to say about it.
    """
    return [{"terms": word if _HAN.match(word) else {"$regex": f"^{re.escape(word)}"}} for word in wanted(query)]


def stands_alone(query: str) -> bool:
    """Whether the index gives what this query finds as one run of its keys: one pair of Han characters, or one alone.

    >>> stands_alone("河"), stands_alone("潮汐"), stands_alone("潮汐簿"), stands_alone("tide")
    (True, True, False, False)
    """
    words = wanted(query)
    return len(words) == 1 and _HAN.match(words[0]) is not None


def _runs(text: str) -> list[str]:
    found: list[str] = _RUN.findall(normalize("NFKC", text).casefold())
    return found
