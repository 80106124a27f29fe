"""How works and cases may be named in commands: as they are known to whoever types."""

from typing import TYPE_CHECKING, Final

import click

from store.errors import BadInput

if TYPE_CHECKING:
    from store.records import Work
    from wenhen.wiring import App

_LOOKED_AT: Final = 200  # works that fit the words, at most
_NAMED: Final = 8  # of those that fit, in the refusal


def work_named(app: "App", given: str) -> str:
    """The id of the work with this id or title, or of the only one whose id or title begins so. NotFound; BadInput
    where several do, which are named.
    """
    works = app.store.works
    if given in works.many([given]):
        return given
    found = works.find(query=given, limit=_LOOKED_AT)
    fitting = [work for work in found if work.title == given] or [work for work in found if _begins(work, given)]
    if len(fitting) > 1:
        named = "; ".join(f"{work.id} {work.title}" for work in fitting[:_NAMED])
        raise BadInput("works.several", given=given, count=len(fitting), named=named)
    return fitting[0].id if fitting else works.get(given).id


def _begins(work: "Work", given: str) -> bool:
    return work.id.startswith(given) or work.title.startswith(given)


class _CaseNumber(click.ParamType[int]):
    """The number of a case, as the screens write it or without its sign."""

    name = "number"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """#12 and 12 are 12."""
        text = str(value).removeprefix("#")
        if not (text.isascii() and text.isdecimal() and int(text)):
            self.fail(f"{value!r} is no number of a case: they are 1, 2, 3 or #1, #2, #3", param, ctx)
        return int(text)


CASE: Final = _CaseNumber()
