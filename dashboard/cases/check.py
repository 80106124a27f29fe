"""Is this text copied? Asked now, nothing is stored."""

from typing import Final, NamedTuple

from flask import Blueprint, render_template, request

from dashboard.cases.side_by_side.changes import pair
from dashboard.cases.side_by_side.panes import Piece
from dashboard.frame.context import services
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from dashboard.frame.uploads import ACCEPTED, CHECK_MB, sent
from pipeline.matching.text_with_letters import Reading
from services.importing.drafts_and_refusals import Refused
from services.texts.originality import tells
from services.texts.works_copied_from import CopiedPair, CopiedWork, UploadedText, check, read_upload
from store.messages import Message
from store.records import Step
from store.rules.role_rights import Right

blueprint = Blueprint("check", __name__, url_prefix="/check")

_TEXTS: Final = 20  # of one upload
_PAIRS: Final = 100  # of one work


class Shown(NamedTuple):
    """A pair of passages, cut at what was changed."""

    pair: CopiedPair
    page: list[Piece]
    work: list[Piece]


class Checked(NamedTuple):
    """One text with the works that it is copied from."""

    text: UploadedText
    sources: list[tuple[CopiedWork, list[Shown]]]
    too_short: bool  # to say that it is no copy


@blueprint.get("/")
@needs(Right.CHECK)
def show() -> str:
    """The form."""
    return _page()


@blueprint.post("/")
@needs(Right.CHECK)
def ask() -> str | tuple[str, int]:
    """The passages of what was pasted or uploaded, side by side with the works'."""
    pasted = request.form.get("text", "").replace("\r\n", "\n")
    texts = [UploadedText(t("check.pasted"), pasted)] if pasted.strip() else []
    refused: list[Refused] = []
    for name, content in sent("file"):
        found, not_read = read_upload(name, content, _TEXTS)
        texts += found
        refused += not_read
    if not texts and not refused:
        return _page(refusal=t("check.nothing")), 400
    too_many = Message("check.too_many", {"count": _TEXTS})
    refused += [Refused(text.name, too_many) for text in texts[_TEXTS:]]
    return _page(pasted=pasted, checked=[_checked(text) for text in texts[:_TEXTS]], refused=refused)


def _checked(text: UploadedText) -> Checked:
    works = check(services().product, text.text)
    shown = [(work, [_shown(pair) for pair in work.pairs[:_PAIRS]]) for work in works]
    return Checked(text, shown, too_short=not works and not tells(services().product, Reading(text.text)))


def _shown(one: CopiedPair) -> Shown:
    return Shown(one, *pair(one.passage, one.page_text, one.work_text))


def _page(
    *,
    pasted: str = "",
    checked: list[Checked] | None = None,
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
        waiting=sum(steps.get(step, 0) for step in (Step.FINGERPRINT, Step.INDEX)),
        accepted=ACCEPTED,
        limit=CHECK_MB,
    )
