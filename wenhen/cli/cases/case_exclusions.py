"""What is left out of cases: the part of `wenhen cases` that concerns exclusions."""

from typing import TYPE_CHECKING

import click

from store.errors import BadInput
from store.records import Excluded, ExclusionScope
from wenhen.cli.shared.naming import CASE
from wenhen.cli.shared.opening import acting_of, opened
from wenhen.cli.shared.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from services.cases.exclusions import Followed
    from store.records import Case

COLUMNS = ("编号 id", "内容 what", "范围 of", "文字 text", "理由 why", "何人 by", "时间 at")


@click.command()
@click.argument("number", type=CASE)
@click.option("--passage", type=click.IntRange(1), help="This passage, counted in the order of `wenhen cases show`.")
@click.option("--text", help="This text, wherever it stands in the page or the work.")
@click.option("--source", is_flag=True, help="The work itself: it is no source of the page.")
@click.option(
    "--of", "scope", type=click.Choice([str(one) for one in ExclusionScope]), default="case", help="Of which cases."
)
@click.option("--like", metavar="ID", help="What was left out of another case, for its reason.")
@click.option("--why", help="The reason.")
@click.pass_context
def exclude(
    ctx: click.Context,
    /,
    number: int,
    passage: int | None,
    text: str | None,
    source: bool,
    scope: str,
    like: str | None,
    why: str | None,
) -> None:
    """Leave a passage, a text or the source out of a case, of all cases of its work or site, or of all cases."""
    from services.cases import exclusions

    if (passage is not None) + (text is not None) + source + (like is not None) != 1:
        raise click.UsageError("name one of --passage, --text, --source, --like")
    if like:
        with opened(ctx) as app:
            _tell(exclusions.exclude_alike(acting_of(app), number, like, scope=ExclusionScope(scope)))
        return
    if why is None:
        raise click.UsageError("--why is missing: the reason")
    what = Excluded.PASSAGE if passage else Excluded.SOURCE if source else Excluded.BLOCK
    with opened(ctx) as app:
        stretch = _stretch(app.store.cases.get(str(number)), passage) if passage else None
        done = exclusions.exclude(
            acting_of(app), number, what, why=why, scope=ExclusionScope(scope), stretch=stretch, text=text
        )
    _tell(done)


@click.command()
@click.argument("ids", nargs=-1, required=True)
@click.pass_context
def include(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Take exclusions back, by their ids."""
    from services.cases import exclusions

    with opened(ctx) as app:
        for id in ids:
            click.echo(f"{id}: figures of {exclusions.include(acting_of(app), id).cases} cases followed")


@click.command("exclusions")
@click.argument("number", type=CASE)
@json_option
@click.pass_context
def list_(ctx: click.Context, number: int, as_json: bool) -> None:
    """Show what is left out of a case."""
    from services.cases import exclusions

    with opened(ctx) as app:
        found = exclusions.of_case(app, app.store.cases.get(str(number)))
    if as_json:
        print_json(found)
    else:
        print_table(COLUMNS, [(o.id, o.what, o.scope, o.text, o.why, o.by, o.at) for o in found])


COMMANDS = (exclude, include, list_)


def _tell(done: "Followed") -> None:
    click.echo(f"{done.exclusion.id}: figures of {done.cases} cases followed")


def _stretch(case: "Case", place: int) -> tuple[int, int]:
    passages = case.match.passages
    if place > len(passages):
        raise BadInput("cases.no_passage", number=case.number, passages=len(passages), given=place)
    return passages[place - 1].page_start, passages[place - 1].page_end
