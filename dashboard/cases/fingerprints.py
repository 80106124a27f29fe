"""What a text becomes before it is compared, of one text or of two side by side; nothing is stored."""

from typing import Final, NamedTuple

from flask import Blueprint, render_template, request

from dashboard.frame.context import services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from fingerprinter.features.frequency import RANGES
from services.texts.pages import OPENING, named, text_of
from services.texts.shown_fingerprints import (
    MOST_WINDOW,
    FingerprintSettings,
    Likeness,
    ShownFingerprint,
    shown_fingerprint,
    side_by_side,
)
from store.errors import BadInput
from store.rules.role_rights import Right

blueprint = Blueprint("fingerprints", __name__, url_prefix="/check/fingerprints")

_LETTERS: Final = 3_000  # of a text that are shown
_WINDOWS: Final = 200
_WIDEST: Final = 4.0  # standard errors that a bar of the heat has room for


class Asked(NamedTuple):
    """What the form held; empty settings go by the length of the text."""

    texts: list[str]
    window: str
    overlap: str
    highest: str


@blueprint.get("/")
@needs(Right.CHECK)
def show() -> str:
    """The form; with the page that the address names, the fingerprint of how its text begins."""
    if not request.args.get("page"):
        return _page(Asked(["", ""], "", "50", ""))
    text = text_of(services().product, named(services().product, request.args["page"]))[:OPENING]
    made = [shown_fingerprint(text, FingerprintSettings())] if text.strip() else []
    return _page(Asked([text, ""], "", "50", ""), made=made)


@blueprint.post("/")
@needs(Right.CHECK)
def ask() -> str | tuple[str, int]:
    """The fingerprints of what was pasted."""
    form = request.form
    asked = Asked(
        [form.get(name, "").replace("\r\n", "\n") for name in ("text", "other")],
        form.get("window", "").strip(),
        form.get("overlap", "50").strip(),
        form.get("highest", ""),
    )
    given = [text for text in asked.texts if text.strip()]
    if not given:
        return _page(asked, refusal=t("check.nothing")), 400
    try:
        settings = _settings(asked)
        if len(given) == 2:
            *made, likeness = side_by_side(given[0], given[1], settings)
            return _page(asked, made=made, likeness=likeness)
        return _page(asked, made=[shown_fingerprint(given[0], settings)])
    except BadInput as error:
        return _page(asked, refusal=error.message.text(language())), 400


def _settings(asked: Asked) -> FingerprintSettings:
    try:
        return FingerprintSettings(
            window=int(asked.window) if asked.window else None,
            overlap=float(asked.overlap) / 100,
            highest=int(asked.highest) if asked.highest else None,
        )
    except ValueError as error:
        ranges = ", ".join(f"[0,{one}]" for one in RANGES)
        raise BadInput("check.fingerprint", most=MOST_WINDOW, ranges=ranges) from error


def _page(
    asked: Asked,
    *,
    made: list[ShownFingerprint] | None = None,
    likeness: Likeness | None = None,
    refusal: str | None = None,
) -> str:
    return render_template(
        "cases/fingerprints.html",
        asked=asked,
        made=made or [],
        likeness=likeness,
        refusal=refusal,
        ranges=RANGES,
        most_letters=_LETTERS,
        most_windows=_WINDOWS,
        widest=_WIDEST,
    )
