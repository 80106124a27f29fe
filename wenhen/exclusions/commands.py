"""Define the commands of `wenhen cases` for exclusions."""

from typing import TYPE_CHECKING

import click

from wenhen.cli.console import (
    CASE_NUMBER,
    ActingCommand,
    EnumChoice,
    command_acting,
    json_option,
    open_product,
    pass_acting,
    print_records,
)
from wenhen.exclusions.model import Excluded, ExclusionScope
from wenhen.kit.errors import BadInput

if TYPE_CHECKING:
    from wenhen.cases.model import Case
    from wenhen.exclusions.service import Followed

EXCLUSION_COLUMNS = ("编号 id", "内容 what", "范围 of", "文字 text", "理由 why", "何人 by", "时间 at")


@click.command()
@click.argument("number", type=CASE_NUMBER)
@click.option("--passage", type=click.IntRange(1), help="This passage, counted in the order of `wenhen cases show`.")
@click.option("--text", help="This text, wherever it stands in the page or the work.")
@click.option("--source", is_flag=True, help="The work itself: it is no source of the page.")
@click.option(
    "--of", "scope", type=EnumChoice(ExclusionScope), default="case", help="Cases to which the exclusion applies."
)
@click.option("--like", metavar="ID", help="Id of an exclusion of another case, whose reason applies here too.")
@click.option("--why", help="The reason.")
@click.pass_context
def exclude(
    ctx: click.Context,
    /,
    number: int,
    passage: int | None,
    text: str | None,
    source: bool,
    scope: ExclusionScope,
    like: str | None,
    why: str | None,
) -> None:
    """Leave a passage, a text or the source out of a case, of all cases of its work or site, or of all cases."""
    from wenhen.exclusions.service import exclude_from_cases, reuse_exclusion

    if (passage is not None) + (text is not None) + source + (like is not None) != 1:
        raise click.UsageError("name one of --passage, --text, --source, --like")
    if like:
        with open_product(ctx) as app:
            _print_result(reuse_exclusion(command_acting(app), number, like, scope=scope))
        return
    if why is None:
        raise click.UsageError("--why is missing: the reason")
    what = Excluded.PASSAGE if passage else Excluded.SOURCE if source else Excluded.BLOCK
    with open_product(ctx) as app:
        stretch = _passage_stretch(app.store.cases.get(str(number)), passage) if passage else None
        done = exclude_from_cases(command_acting(app), number, what, why=why, scope=scope, stretch=stretch, text=text)
    _print_result(done)


@click.command()
@click.argument("ids", nargs=-1, required=True)
@pass_acting
def include(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Take exclusions back, by their ids."""
    from wenhen.exclusions.service import withdraw_exclusion

    for id in ids:
        click.echo(f"{id}: figures of {withdraw_exclusion(acting, id).cases} cases followed")


@click.command("exclusions")
@click.argument("number", type=CASE_NUMBER)
@json_option
@pass_acting
def list_command(acting: ActingCommand, number: int) -> None:
    """Show what is left out of a case."""
    from wenhen.exclusions.service import find_case_exclusions

    case_exclusions = find_case_exclusions(acting.product, acting.product.store.cases.get(str(number)))
    print_records(
        case_exclusions,
        EXCLUSION_COLUMNS,
        ((o.id, o.what, o.scope, o.text, o.why, o.by, o.at) for o in case_exclusions),
    )


CASE_COMMANDS = (exclude, include, list_command)


def _print_result(done: "Followed") -> None:
    click.echo(f"{done.exclusion.id}: figures of {done.cases} cases followed")


def _passage_stretch(case: "Case", place: int) -> tuple[int, int]:
    passages = case.match.passages
    if place > len(passages):
        raise BadInput("cases.no_passage", number=case.number, passages=len(passages), given=place)
    return passages[place - 1].page_start, passages[place - 1].page_end
