"""Which Word templates are used: those that come with the product, or those that an administrator has put there."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.kept_files import bounded
from services.notices.word.default_templates import default_template
from services.notices.word.filling import filled, filled_foreign
from store.errors import Unreadable
from store.records import Holder, Notice
from store.rules.china_time import day_of
from store.rules.role_rights import Right
from store.rules.visible_signs import in_signs

MOST_MB: Final = 4
_MARK: Final = "template:"


class WordKind(StrEnum):
    """What a Word file is."""

    NOTICE = "notice"
    AUTHORITY = "authority"  # the power of attorney, to be signed
    EVIDENCE = "evidence"  # the list of evidence


def template(product: Product, kind: WordKind) -> tuple[bytes, bool]:
    """The template that is used, and whether somebody has put it there."""
    kept = product.store.marks.get(_MARK + kind)
    digest = kept.get("digest") if kept else None
    return (product.store.blobs.get(digest), True) if isinstance(digest, str) else (default_template(kind), False)


def written(product: Product, kind: WordKind, values: Mapping[str, Any]) -> bytes:
    """The Word file. Unreadable: the template that somebody put there cannot be filled in."""
    content, foreign = template(product, kind)
    return filled_foreign(content, values) if foreign else filled(content, values)


@audited("template.put")
def put(acting: Acting, kind: WordKind, content: bytes) -> Changed[None]:
    """Use a template from now on. It is filled in once, to see that it can be. Raises `Unreadable`, `TooLarge`,
    `Forbidden`.
    """
    acting.require(Right.PLATFORMS)
    try:
        filled_foreign(bounded(kind, content, MOST_MB), _sample())
    except Unreadable as error:
        raise Unreadable("notices.bad_template", error=error.message) from error
    digest = acting.product.store.blobs.put(content)
    acting.product.store.marks.set(_MARK + kind, {"digest": digest})
    return changed(None, Line(f"template:{kind}", new={"sha256": digest}))


@audited("template.remove")
def remove(acting: Acting, kind: WordKind) -> Changed[None]:
    """Use the one that comes with the product again. Raises `Forbidden`."""
    acting.require(Right.PLATFORMS)
    acting.product.store.marks.set(_MARK + kind, {"digest": None})
    return changed(None, Line(f"template:{kind}", new={"sha256": None}))


def values(
    product: Product, notice: Notice, holder: Holder, works: Sequence[str], items: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """What every template may ask for. works: titles; items: of the list of evidence."""
    title, *lines = notice.text.strip().split("\n")
    return {
        "title": title,
        "lines": [line for line in lines if line.strip()],
        "number": notice.id,
        "to": notice.to,
        "days": str(notice.days),
        "holder": _told(holder),
        "works": [in_signs(one) for one in works],
        "items": [{name: in_signs(said) for name, said in one.items()} for one in items],
        "today": day_of(product.now()).isoformat(),
    }


def _told(holder: Holder) -> dict[str, str]:
    fields = ("identity", "contact", "address", "representative")
    return {"name": holder.id, **{name: getattr(holder, name) or "" for name in fields}}


def _sample() -> dict[str, Any]:
    item = {name: name for name in ("number", "name", "source", "proves", "at", "digest")}
    plain = {name: name for name in ("title", "number", "to", "days", "today")}
    return {**plain, "lines": ["line"], "works": ["work"], "items": [item], "holder": _told(Holder(id="name"))}
