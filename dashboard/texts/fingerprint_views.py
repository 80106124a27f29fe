"""Show the fingerprints of one text, or compare two."""

from typing import Final, NamedTuple

from flask import Blueprint, render_template, request

from dashboard.frame.context import services
from dashboard.frame.language import language, t
from dashboard.frame.security import needs
from fingerprinter.features.frequency import DIGIT_RANGES
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Right
from wenhen.pages.service import OPENING_CHARACTERS, find_page, page_text
from wenhen.texts.fingerprint_view import (
    MAX_WINDOW_LETTERS,
    FingerprintSettings,
    Likeness,
    ShownFingerprint,
    compare_fingerprints,
    describe_fingerprint,
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
def show() -> str:
    """Show the form. For the page in the address, show the fingerprint of the text's opening."""
    if not request.args.get("page"):
        return _render_fingerprints(FingerprintForm(["", ""], "", "50", ""))
    text = page_text(services().product, find_page(services().product, request.args["page"]))[:OPENING_CHARACTERS]
    made = [describe_fingerprint(text, FingerprintSettings())] if text.strip() else []
    return _render_fingerprints(FingerprintForm([text, ""], "", "50", ""), made=made)


@fingerprints_blueprint.post("/")
@needs(Right.CHECK)
def ask() -> str | tuple[str, int]:
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
