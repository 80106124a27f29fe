"""What a page says of itself in JSON-LD, by the vocabulary of schema.org."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from store.rules.storable import storable

ARTICLES = ("article", "posting", "report", "chapter", "story", "creativework", "qapage", "webpage")
LONGEST = 1_000_000  # characters of one block that are read
Stated = Mapping[str, Any]


def article_of(tree: LexborHTMLParser) -> Stated:
    """The first object that stands for an article, else for a page; empty where there is none."""
    found = [one for one in objects_of(tree) if _kind(one)]
    return min(found, key=lambda one: ARTICLES.index(_kind(one)), default={})


def text_at(stated: Stated, *path: str) -> str | None:
    """The text under these keys, of the first where there are several.

    >>> text_at({"author": [{"name": "林溪"}]}, "author", "name")
    '林溪'
    """
    value: object = stated
    for key in path:
        value = _first(value)
        if isinstance(value, str):
            break  # {"author": "林溪"} in place of {"author": {"name": "林溪"}}
        value = value.get(key) if isinstance(value, dict) else None
    value = _first(value)
    # JSON can write half a surrogate pair, which no store keeps.
    return (storable(value).strip() or None) if isinstance(value, str) else None


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else value


def _kind(one: Stated) -> str:
    kinds = one.get("@type")
    names = [str(kind).lower() for kind in (kinds if isinstance(kinds, list) else [kinds])]
    return next((kind for kind in ARTICLES if any(name.endswith(kind) for name in names)), "")


def objects_of(tree: LexborHTMLParser) -> Iterator[Stated]:
    """The objects of all blocks in their order, those of a graph behind it."""
    for node in tree.css("script[type='application/ld+json']"):
        try:
            value = json.loads((node.text(deep=True) or "")[:LONGEST], strict=False)
        except (ValueError, RecursionError):
            continue
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                yield one
                graph = one.get("@graph")
                yield from (inner for inner in (graph if isinstance(graph, list) else []) if isinstance(inner, dict))
