"""Which cases an exclusion covers: the places that cases and exclusions have in common."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

from store.records import Excluded, ExclusionScope

_EVERYWHERE: Final = "everywhere"


def places(case_id: str, work_id: str, host: str) -> tuple[str, ...]:
    """All places at which a case may be covered.

    >>> places("9f86d081:w1", "w1", "news.example")
    ('case:9f86d081:w1', 'work:w1', 'site:news.example', 'everywhere')
    """
    return f"case:{case_id}", f"work:{work_id}", f"site:{host}", _EVERYWHERE


def covers(scope: ExclusionScope, case_id: str, work_id: str, hosts: Iterable[str]) -> tuple[str, ...]:
    """The places that an exclusion of this scope covers. hosts: of the site."""
    if scope is ExclusionScope.CASE:
        return (f"case:{case_id}",)
    if scope is ExclusionScope.WORK:
        return (f"work:{work_id}",)
    if scope is ExclusionScope.EVERYWHERE:
        return (_EVERYWHERE,)
    return tuple(f"site:{host}" for host in hosts)


def exclusion_id(what: Excluded, covers: Sequence[str], work_id: str, letters: bytes) -> str:
    """The same for the same thing left out of the same cases. work_id: of a source, else nothing."""
    told = "\n".join((what, *sorted(covers), work_id if what is Excluded.SOURCE else ""))
    return sha256(told.encode() + b"\0" + letters).hexdigest()[:16]
