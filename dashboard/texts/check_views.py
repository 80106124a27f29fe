"""Check pasted or uploaded text for copies, without storing it."""

from typing import Final, NamedTuple

from flask import Blueprint, render_template, request

from dashboard.cases.text_pieces import Piece, cut_passage_pair
from dashboard.frame.context import services
from dashboard.frame.language import t
from dashboard.frame.requests import ACCEPTED_SUFFIXES, MAX_CHECK_MB, uploaded_files
from dashboard.frame.security import needs
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.errors import Message
from wenhen.kit.progress import Step
from wenhen.kit.rights import Right
from wenhen.texts.source_lookup import (
    CopiedPair,
    CopiedWork,
    UploadedText,
    find_copied_works,
    is_long_enough,
    read_uploaded_texts,
)
from wenhen.works.importers.drafts import Refused

check_blueprint = Blueprint("check", __name__, url_prefix="/check")

_MAX_TEXTS: Final = 20  # of one upload
_MAX_PAIRS: Final = 100  # of one work


class ShownPair(NamedTuple):
    """A pair of passages, cut at the edits."""

    pair: CopiedPair
    page: list[Piece]
    work: list[Piece]


class CheckedText(NamedTuple):
    """One text with the works that it is copied from."""

    text: UploadedText
    sources: list[tuple[CopiedWork, list[ShownPair]]]
    too_short: bool  # to rule out a copy


@check_blueprint.get("/")
@needs(Right.CHECK)
def show() -> str:
    """Show the form."""
    return _render_check()


@check_blueprint.post("/")
@needs(Right.CHECK)
def ask() -> str | tuple[str, int]:
    """Show the passages of the pasted or uploaded texts beside those of the works."""
    pasted = request.form.get("text", "").replace("\r\n", "\n")
    texts = [UploadedText(t("check.pasted"), pasted)] if pasted.strip() else []
    refused: list[Refused] = []
    for name, content in uploaded_files("file"):
        uploaded, not_read = read_uploaded_texts(name, content, _MAX_TEXTS)
        texts += uploaded
        refused += not_read
    if not texts and not refused:
        return _render_check(refusal=t("check.nothing")), 400
    too_many = Message("check.too_many", {"count": _MAX_TEXTS})
    refused += [Refused(text.name, too_many) for text in texts[_MAX_TEXTS:]]
    return _render_check(pasted=pasted, checked=[_check_text(text) for text in texts[:_MAX_TEXTS]], refused=refused)


def _check_text(text: UploadedText) -> CheckedText:
    works = find_copied_works(services().product, text.text)
    shown = [(work, [_show_pair(pair) for pair in work.pairs[:_MAX_PAIRS]]) for work in works]
    return CheckedText(
        text, shown, too_short=not works and not is_long_enough(services().product, TextReading(text.text))
    )


def _show_pair(pair: CopiedPair) -> ShownPair:
    return ShownPair(pair, *cut_passage_pair(pair.passage, pair.page_text, pair.work_text))


def _render_check(
    *,
    pasted: str = "",
    checked: list[CheckedText] | None = None,
    refused: list[Refused] | None = None,
    refusal: str | None = None,
) -> str:
    steps = services().store.works.count_by_step()
    return render_template(
        "cases/check.html",
        pasted=pasted,
        checked=checked,
        refused=refused or [],
        refusal=refusal,
        empty=not services().store.works.count(),
        waiting=sum(steps.get(step, 0) for step in (Step.FINGERPRINT, Step.INDEX)),
        accepted=ACCEPTED_SUFFIXES,
        limit=MAX_CHECK_MB,
    )
