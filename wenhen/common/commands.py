"""Define `wenhen common`: add, list and remove common texts."""

from pathlib import Path

import click

from wenhen.cli.console import (
    ActingCommand,
    finish_queued_steps,
    json_option,
    limit_option,
    pass_acting,
    pass_acting_with_indexes,
    print_records,
    progress_bar,
)
from wenhen.kit.text import character_count
from wenhen.works.commands import print_import


@click.group()
def common() -> None:
    """Common texts: statutes, classics, contracts, forms. They accuse nobody (公共文本)."""


@common.command("add")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--no-wait", is_flag=True, help="Return when all is stored; the rest follows in the background.")
@json_option
@pass_acting_with_indexes
def add_command(acting: ActingCommand, paths: tuple[Path, ...], no_wait: bool) -> None:
    """Add files and folders of texts that are everybody's, in the formats of `works import`.

    Text that one of them explains accuses nobody. Pages with leads that share text with them are looked up again. What
    cannot be read is refused with its reason; the exit status is 1 when nothing was added.
    """
    from wenhen.common.service import add_common_paths
    from wenhen.matching.rematch import has_unfinished_works

    with progress_bar("读入公共文本 reading") as advance:
        result = add_common_paths(acting, paths, progress=advance)
    if not no_wait and has_unfinished_works(acting.product):
        finish_queued_steps(acting.product, "指纹与检索 fingerprinting")
    print_import(result, nothing="nothing was added")


@common.command("list")
@click.option("--query", "-q", help="Part of the title, author or id.")
@limit_option
@json_option
@pass_acting
def list_command(acting: ActingCommand, query: str | None, limit: int) -> None:
    """List the common texts, the ones changed last first."""
    works = acting.product.store.works.find_common(query=query, limit=limit)
    total = acting.product.store.works.count_common(query=query)
    rows = ((text.id, text.title, character_count(text), text.progress.step, text.updated_at) for text in works)
    columns = ("编号 id", "标题 title", "字数 length", "状态 state", "更新 updated")
    print_records(works, columns, rows, title=f"{len(works)} / {total}")


@common.command("remove")
@click.argument("texts", metavar="TEXT...", nargs=-1, required=True)
@click.option("--no-wait", is_flag=True, help="Return at once; pages are looked up again in the background.")
@pass_acting_with_indexes
def remove_command(acting: ActingCommand, texts: tuple[str, ...], no_wait: bool) -> None:
    """Remove common texts, by their ids or titles. Pages with text of them are looked up again."""
    from wenhen.common.service import find_common_id, remove_common_text

    for given in texts:
        remove_common_text(acting, find_common_id(acting.product, given))
    if not no_wait:
        finish_queued_steps(acting.product, "重新比对 looking up again")
