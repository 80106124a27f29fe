"""What runs, what waits, and what was set aside with the reason."""

from typing import Final, NamedTuple

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard import audit
from dashboard.language import t
from dashboard.permissions import Right, needs
from dashboard.services import services
from store.errors import Unavailable
from store.records import OwnerKind, Page, Step, Work

blueprint = Blueprint("health", __name__, url_prefix="/health")

_SHOWN: Final = 100


class SetAside(NamedTuple):
    """A record whose last try failed."""

    kind: OwnerKind
    id: str
    name: str
    step: Step
    problem: str | None


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """The state of the servers and of the work."""
    store = services().store
    of_works, of_pages = store.works.count_by_step(), store.pages.count_by_step()
    return render_template(
        "health.html",
        servers=services().health(),
        steps=[(step, of_works.get(step, 0), of_pages.get(step, 0)) for step in Step],
        set_aside=_set_aside(),
        problems=store.problems.recent(limit=_SHOWN),
        problem_count=store.problems.count(),
    )


@blueprint.post("/retry")
@needs(Right.OPERATE)
def retry() -> Response:
    """Give a record that was set aside its failed step again."""
    store = services().store
    try:
        kind = OwnerKind(request.form.get("kind", ""))
    except ValueError:
        abort(400)
    id = request.form.get("id", "")
    steps = store.works if kind is OwnerKind.WORK else store.pages
    step = _failed_step(steps.get(id), kind)
    if steps.restart(id, step, only_from={Step.SET_ASIDE}):
        store.problems.clear("pipeline", f"{kind}:{id}")
        audit.record("record.retry", f"{kind}:{id}", new=str(step))
        try:
            services().enqueue(kind, id, step)
        except Unavailable:
            flash(t("health.retry_later"))  # its next step is stored: the sweep queues it
        else:
            flash(t("health.retried"))
    else:
        flash(t("health.not_set_aside"))
    return redirect(url_for("health.show"), 303)


def _set_aside() -> list[SetAside]:
    store = services().store
    works = store.works.many(store.works.set_aside_ids(_SHOWN)).values()
    pages = store.pages.many(store.pages.set_aside_ids(_SHOWN)).values()
    return [_row(OwnerKind.WORK, work, work.title) for work in works] + [
        _row(OwnerKind.PAGE, page, page.url) for page in pages
    ]


def _row(kind: OwnerKind, record: Work | Page, name: str) -> SetAside:
    return SetAside(kind, record.id, name, _failed_step(record, kind), record.progress.problem)


def _failed_step(record: Work | Page, kind: OwnerKind) -> Step:
    """Where to begin again: where it failed, or at the first step."""
    return record.progress.failed_step or (Step.FINGERPRINT if kind is OwnerKind.WORK else Step.EXTRACT)
