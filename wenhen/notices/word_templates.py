"""Choose, replace and fill the Word templates of notices."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.holders.model import TEXT_FIELDS, Holder
from wenhen.kit.clock import china_day
from wenhen.kit.errors import Language, Unreadable
from wenhen.kit.files import limit_upload
from wenhen.kit.rights import Right
from wenhen.kit.size_and_time_limits import MAX_TEMPLATE_MB
from wenhen.kit.text import escape_invisible
from wenhen.notices.model import Notice
from wenhen.notices.word_rendering import default_template, fill_foreign_template, fill_template

_TEMPLATE_MARK: Final = "template:"


class WordKind(StrEnum):
    """A kind of Word file."""

    NOTICE = "notice"
    AUTHORITY = "authority"  # power of attorney, to be signed
    EVIDENCE = "evidence"  # list of evidence


def find_template(product: Product, kind: WordKind, language: Language | None = None) -> tuple[bytes, bool]:
    """Return the current template, and whether it was uploaded. language: of the default one, None for both."""
    kept = product.store.marks.get(_TEMPLATE_MARK + kind)
    digest = kept.get("digest") if kept else None
    return (
        (product.store.blobs.get(digest), True)
        if isinstance(digest, str)
        else (default_template(kind, language), False)
    )


def write_word_file(
    product: Product, kind: WordKind, values: Mapping[str, Any], language: Language | None = None
) -> bytes:
    """Return the Word file. Raises `Unreadable` if the uploaded template cannot be filled in."""
    content, foreign = find_template(product, kind, language)
    return fill_foreign_template(content, values) if foreign else fill_template(content, values)


@audited("template.put")
def set_template(acting: Acting, kind: WordKind, content: bytes) -> ChangeResult[None]:
    """Use a template from now on. It is filled in once as a test.

    Raises `Unreadable`, `TooLarge`, `Forbidden`.
    """
    acting.require(Right.PLATFORMS)
    try:
        fill_foreign_template(limit_upload(kind, content, MAX_TEMPLATE_MB), _sample_values())
    except Unreadable as error:
        raise Unreadable("notices.bad_template", error=error.message) from error
    digest = acting.product.store.blobs.put(content)
    acting.product.store.marks.set(_TEMPLATE_MARK + kind, {"digest": digest})
    return change_result(None, AuditLine(f"template:{kind}", new={"sha256": digest}))


@audited("template.remove")
def reset_template(acting: Acting, kind: WordKind) -> ChangeResult[None]:
    """Use the default template again. Raises `Forbidden`."""
    acting.require(Right.PLATFORMS)
    acting.product.store.marks.set(_TEMPLATE_MARK + kind, {"digest": None})
    return change_result(None, AuditLine(f"template:{kind}", new={"sha256": None}))


def template_values(
    product: Product, notice: Notice, holder: Holder, works: Sequence[str], items: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """Return the values that every template may use.

    works: titles.
    items: list of evidence.
    """
    title, *lines = notice.text.strip().split("\n")
    return {
        "title": title,
        "lines": [line for line in lines if line.strip()],
        "number": notice.id,
        "to": notice.to,
        "days": str(notice.days),
        "holder": _holder_values(holder),
        "works": [escape_invisible(work) for work in works],
        "items": [{name: escape_invisible(value) for name, value in item.items()} for item in items],
        "today": china_day(product.now()).isoformat(),
    }


def _holder_values(holder: Holder) -> dict[str, str]:
    return {"name": holder.id, **{name: getattr(holder, name) or "" for name in TEXT_FIELDS}}


def _sample_values() -> dict[str, Any]:
    item = {name: name for name in ("number", "name", "source", "proves", "at", "digest")}
    plain = {name: name for name in ("title", "number", "to", "days", "today")}
    return {**plain, "lines": ["line"], "works": ["work"], "items": [item], "holder": _holder_values(Holder(id="name"))}
