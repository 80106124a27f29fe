"""Find works by the names that people use: an id, a title, or the beginning of either."""

from typing import Final

from wenhen.kit.errors import BadInput
from wenhen.product.context import Product
from wenhen.works.model import Work

_MAX_CANDIDATES: Final = 200  # matching works that are loaded at most
_MAX_NAMED: Final = 8  # matching works that the error names
MAX_SUGGESTIONS: Final = 12  # works that a picker offers


def find_named_work(product: Product, given: str) -> Work:
    """Return the work with this id or title, or with this unique prefix of either. Removed works match by their id
    only.

    Raises NotFound if none matches, and BadInput with the candidates if several do.
    """
    works = product.store.works
    if known := works.many([given]).get(given):
        return known
    candidates = works.find(query=given, limit=_MAX_CANDIDATES)
    fitting = [work for work in candidates if work.title == given] or [
        work for work in candidates if _has_prefix(work, given)
    ]
    if len(fitting) > 1:
        named = "; ".join(f"{work.id} {work.title}" for work in fitting[:_MAX_NAMED])
        raise BadInput("works.several", given=given, count=len(fitting), named=named)
    return fitting[0] if fitting else works.get(given)


def suggest_works(product: Product, typed: str) -> list[Work]:
    """Return works that have these words in title, author or id. Those whose title begins with them come first."""
    works_found = product.store.works.find(query=typed, limit=_MAX_CANDIDATES) if typed.strip() else []
    return sorted(works_found, key=lambda work: (work.title != typed, not _has_prefix(work, typed)))[:MAX_SUGGESTIONS]


def _has_prefix(work: Work, given: str) -> bool:
    return work.id.startswith(given) or work.title.startswith(given)
