"""The suspects: cases as a list, its filters in the address."""

from dataclasses import asdict, dataclass

from flask import Blueprint, render_template, request

from dashboard.paging import SIZE, paging
from dashboard.services import services
from store.errors import BadInput
from store.records import CaseStatus

blueprint = Blueprint("suspects", __name__, url_prefix="/suspects")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which cases are wanted; None lets every value pass."""

    status: CaseStatus | None = None
    host: str | None = None
    work_id: str | None = None

    def arguments(self, **changed: str | None) -> dict[str, str]:
        """The filter as an address carries it, some values changed."""
        values = {"status": self.status, "host": self.host, "work": self.work_id, **changed}
        return {name: str(value) for name, value in values.items() if value}


def wanted() -> Filter:
    """The filter in the present address; BadInput for a status that does not exist."""
    status = request.args.get("status", "")
    try:
        chosen = CaseStatus(status) if status else None
    except ValueError:
        raise BadInput(f"no such status: {status[:40]!r}; use lead, confirmed or dismissed") from None
    return Filter(chosen, request.args.get("host", "").strip().lower() or None, request.args.get("work") or None)


@blueprint.get("/")
def find() -> str:
    """The list."""
    store = services().store
    chosen = wanted()
    conditions = asdict(chosen)
    page = paging(store.cases.count(**conditions))
    counts = {status: store.cases.count(**{**conditions, "status": status}) for status in (None, *CaseStatus)}
    work = store.works.many([chosen.work_id]).get(chosen.work_id) if chosen.work_id else None
    return render_template(
        "suspects.html",
        cases=store.cases.find(**conditions, skip=page.skip, limit=SIZE),
        filter=chosen,
        counts=counts,
        work=work,
        hosts=[host for host, _ in store.cases.top("page_host", 30)],
        paging=page,
    )
