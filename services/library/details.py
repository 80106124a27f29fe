"""What people say of a work: title, author, holder, first publication and its proof. An import leaves what they set."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.importing.work_details import read_detail
from services.library.not_to_come import not_to_come
from store.errors import BadInput, NotFound
from store.records import Work
from store.rules.china_time import CHINA, day_or_moment
from store.rules.library.work_versions import EDITABLE
from store.rules.role_rights import Right


@audited("work.edit")
def edit(acting: Acting, id: str, written: Mapping[str, str]) -> Changed[Work]:
    """Set some of what is said of a work, by the names of `EDITABLE`; what is empty is taken away. Its cases show the
    new title. Raises `NotFound`, also of a removed work; `BadInput` that names the field.
    """
    acting.require(Right.DETAILS)
    store = acting.product.store
    before = there(acting, id)
    said = read(written, acting.product.now())
    values = {name: value for name, value in said.items() if value != getattr(before, name)}
    if not values:
        return changed(before)
    work = store.works.edit(id, values)
    if "title" in values:
        store.cases.set_work_title(id, work.title)
    return changed(work, Line(f"work:{id}", said_of(before), said_of(work)))


def there(acting: Acting, id: str) -> Work:
    """The work, unless it was removed. NotFound."""
    work = acting.product.store.works.get(id)
    if work.removed_at is not None:
        raise NotFound("store.no_work", id=id)
    return work


def read(written: Mapping[str, str], now: datetime) -> dict[str, Any]:
    """The fields of `Work` that are written. now: no work came out later. Raises `BadInput` that names the field."""
    values = {}
    for name, text in written.items():
        if name not in EDITABLE:
            raise BadInput("works.no_field", field=name, choices=", ".join(EDITABLE))
        try:
            values[name] = read_detail(name, text)
            if name == "published_at":
                not_to_come(values[name], now)
        except BadInput as error:
            raise BadInput("works.bad_field", field=name, reason=error.message) from None
    return values


def said_of(work: Work) -> Mapping[str, object]:
    """What people may set of it."""
    return {name: getattr(work, name) for name in EDITABLE}


def written(work: Work) -> dict[str, str]:
    """The same as `read` takes it."""
    said = {name: "" if value is None else str(value) for name, value in said_of(work).items()}
    return said | {"published_at": _local(work.published_at)}


def _local(at: datetime | None) -> str:
    """In China, as `moment_of` reads it."""
    if at is None:
        return ""
    said = day_or_moment(at)
    return said.astimezone(CHINA).replace(tzinfo=None).isoformat(sep=" ") if isinstance(said, datetime) else str(said)
