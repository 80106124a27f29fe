"""Works imported by upload."""

from typing import Final

from flask import Blueprint, render_template, request

from dashboard.actions import Imported
from dashboard.language import t
from dashboard.permissions import Right, needs
from dashboard.services import services
from dashboard.uploads import ACCEPTED, IMPORT_MB, sent

blueprint = Blueprint("intake", __name__, url_prefix="/works/import")

_OWNER_LENGTH: Final = 200
_SHOWN: Final = 500  # works that the result names


@blueprint.get("/")
@needs(Right.WORKS)
def show() -> str:
    """The form."""
    return _page()


@blueprint.post("/")
@needs(Right.WORKS)
def take() -> str | tuple[str, int]:
    """Import the files; what is refused is listed with its reason, and the rest is taken."""
    owner = request.form.get("owner", "").strip()[:_OWNER_LENGTH] or None
    files = sent("files")
    if not files:
        return _page(refusal=t("intake.no_file"), owner=owner), 400
    results = [services().actions.import_upload(name, content, owner) for name, content in files]
    return _page(result=_together(results), owner=owner)


def _together(results: list[Imported]) -> Imported:
    return Imported(
        *(
            tuple(one for result in results for one in getattr(result, name))
            for name in ("new", "changed", "unchanged", "refused")
        )
    )


def _page(*, result: Imported | None = None, refusal: str | None = None, owner: str | None = None) -> str:
    ids = [*result.new, *result.changed, *result.unchanged][:_SHOWN] if result else []
    return render_template(
        "intake.html",
        result=result,
        works=services().store.works.many(ids),
        shown=_SHOWN,
        refusal=refusal,
        owner=owner,
        accepted=ACCEPTED,
        limit=IMPORT_MB,
    )
