"""Check pasted or uploaded text for copies, and show or compare fingerprints. Nothing is stored."""

from typing import Final, NamedTuple

from flask import Blueprint, render_template, request

from dashboard.cases.text_pieces import Piece, cut_passage_pair
from dashboard.frame.context import language, services, t
from dashboard.frame.requests import ACCEPTED_SUFFIXES, uploaded_files
from dashboard.frame.security import needs
from fingerprinter.features.index_features import DIGIT_RANGES
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.errors import BadInput, Message
from wenhen.kit.progress import Step
from wenhen.kit.rights import Right
from wenhen.kit.size_and_time_limits import MAX_CHECK_MB
from wenhen.pages.service import OPENING_CHARACTERS, find_page, page_text
from wenhen.texts.fingerprint_view import (
    MAX_WINDOW_LETTERS,
    FingerprintSettings,
    Likeness,
    ShownFingerprint,
    compare_fingerprints,
    describe_fingerprint,
)
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


fingerprints_blueprint = Blueprint("fingerprints", __name__, url_prefix="/check/fingerprints")

_MAX_INITIALS_SHOWN: Final = 3_000  # of a text that are shown
_MAX_WINDOWS_SHOWN: Final = 200
_MAX_BAR_STANDARD_ERRORS: Final = 4.0  # standard errors at the full length of a bar


class FingerprintForm(NamedTuple):
    """The fields of the form. Empty settings follow from the text's length."""

    texts: list[str]
    window: str
    overlap: str
    highest: str


@fingerprints_blueprint.get("/")
@needs(Right.CHECK)
def show_fingerprints() -> str:
    """Show the form. For the page in the address, show the fingerprint of the text's opening."""
    if not request.args.get("page"):
        return _render_fingerprints(FingerprintForm(["", ""], "", "50", ""))
    text = page_text(services().product, find_page(services().product, request.args["page"]))[:OPENING_CHARACTERS]
    made = [describe_fingerprint(text, FingerprintSettings())] if text.strip() else []
    return _render_fingerprints(FingerprintForm([text, ""], "", "50", ""), made=made)


@fingerprints_blueprint.post("/")
@needs(Right.CHECK)
def make_fingerprints() -> str | tuple[str, int]:
    """Show the fingerprints of the pasted texts."""
    form = request.form
    sent_form = FingerprintForm(
        [form.get(name, "").replace("\r\n", "\n") for name in ("text", "other")],
        form.get("window", "").strip(),
        form.get("overlap", "50").strip(),
        form.get("highest", ""),
    )
    given = [text for text in sent_form.texts if text.strip()]
    if not given:
        return _render_fingerprints(sent_form, refusal=t("check.nothing")), 400
    try:
        settings = _fingerprint_settings(sent_form)
        if len(given) == 2:
            *made, likeness = compare_fingerprints(given[0], given[1], settings)
            return _render_fingerprints(sent_form, made=made, likeness=likeness)
        return _render_fingerprints(sent_form, made=[describe_fingerprint(given[0], settings)])
    except BadInput as error:
        return _render_fingerprints(sent_form, refusal=error.message.text(language())), 400


def _fingerprint_settings(form: FingerprintForm) -> FingerprintSettings:
    try:
        return FingerprintSettings(
            window=int(form.window) if form.window else None,
            overlap=float(form.overlap) / 100,
            highest=int(form.highest) if form.highest else None,
        )
    except ValueError as error:
        ranges = ", ".join(f"[0,{digit_range}]" for digit_range in DIGIT_RANGES)
        raise BadInput("check.fingerprint", most=MAX_WINDOW_LETTERS, ranges=ranges) from error


def _render_fingerprints(
    form: FingerprintForm,
    *,
    made: list[ShownFingerprint] | None = None,
    likeness: Likeness | None = None,
    refusal: str | None = None,
) -> str:
    return render_template(
        "cases/fingerprints.html",
        asked=form,
        made=made or [],
        likeness=likeness,
        refusal=refusal,
        ranges=DIGIT_RANGES,
        most_letters=_MAX_INITIALS_SHOWN,
        most_windows=_MAX_WINDOWS_SHOWN,
        widest=_MAX_BAR_STANDARD_ERRORS,
    )
