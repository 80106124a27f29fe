"""`wenhen works`: import, list, show, edit, merge, remove."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from store.records import Progress
from wenhen.cli.shared.naming import work_named
from wenhen.cli.shared.opening import acting_of, opened, opened_with_indexes
from wenhen.cli.shared.output import cell, err, json_option, limit_option, print_json, print_table, progress

if TYPE_CHECKING:
    from services.acting import Acting

_SHORT_NAMED = 20  # works, in the warning of an import


@click.group()
def works() -> None:
    """The works whose copies are to be found (母体)."""


@works.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--owner", help="Rights holder, for works that name none.")
@click.option(
    "--no-wait", is_flag=True, help="Return when all is stored; fingerprints and look-ups follow in the background."
)
@json_option
@click.pass_context
def import_(ctx: click.Context, paths: tuple[Path, ...], owner: str | None, no_wait: bool, as_json: bool) -> None:
    """Import files and folders: .txt .md .html .jsonl .csv .xlsx .pdf .docx .doc .rtf .epub .mobi, and .zip
    of these. Text is in UTF-8, GB18030 or Big5.

    The same file twice changes nothing; a changed file makes a new version. What cannot be read is refused with its
    reason and the rest is imported; the exit status is 1 when nothing was.
    """
    from pipeline.library.steps_left import works_unfinished
    from services.library.import_works import import_paths
    from wenhen.processes.working_off import work_off

    with opened_with_indexes(ctx) as app:
        with progress("读入作品 importing") as advance:
            result = import_paths(acting_of(app), paths, owner=owner, progress=advance)
        if not no_wait and works_unfinished(app):
            with progress("指纹与检索 fingerprinting") as advance:
                work_off(app, advance)
    if as_json:
        print_json(result)
    else:
        print_table(("新 new", "变更 changed", "未变 unchanged", "拒绝 refused"), [result.counts()])
        if result.short:
            named = " ".join(result.short[:_SHORT_NAMED]) + (" …" if len(result.short) > _SHORT_NAMED else "")
            err().print(
                f"太短，抄了也认不出 too short, no copy of these can be told: {named}", style="yellow", markup=False
            )
        if result.refused:
            print_table(("文件 file", "原因 reason"), [(one.what, one.reason) for one in result.refused])
    if result.refused and not result.counts().taken:
        raise click.ClickException(f"nothing was imported: {len(result.refused)} refused")


@works.command("list")
@click.option("--query", "-q", help="Part of the title, author or id.")
@limit_option
@json_option
@click.pass_context
def list_(ctx: click.Context, query: str | None, limit: int, as_json: bool) -> None:
    """List works, the ones changed last first."""
    with opened(ctx) as app:
        found = app.store.works.find(query=query, limit=limit)
        total = app.store.works.count(query=query)
    if as_json:
        print_json(found)
        return
    rows = [(w.id, w.title, w.author, w.length, w.version, w.note or w.progress.step, w.updated_at) for w in found]
    columns = ("编号 id", "标题 title", "作者 author", "字数 length", "版本 version", "状态 state", "更新 updated")
    print_table(columns, rows, title=f"{len(found)} / {total}")


@works.command()
@click.argument("id", metavar="WORK")
@click.option("--text", is_flag=True, help="Print the text too.")
@json_option
@click.pass_context
def show(ctx: click.Context, id: str, text: bool, as_json: bool) -> None:
    """Show one work: its data, its versions, and where it was copied."""
    from wenhen.cli.shared.output import plain

    with opened(ctx) as app:
        work = app.store.works.get(work_named(app, id))
        matches = app.store.matches.of_work(work.id)
        body = app.store.blobs.get_text(work.text_digest) if text else None
    if as_json:
        print_json({**plain(work), "matches": plain(matches), **({"text": body} if text else {})})
        return
    said = {one.name: getattr(work, one.name) for one in dataclasses.fields(work) if one.name != "versions"}
    print_table(("", work.title), [(name, _told(value)) for name, value in said.items() if value not in (None, ())])
    versions = [(one.version, one.length, one.stored_at, one.text_digest) for one in work.versions]
    print_table(("版本 version", "字数 length", "入库 stored", "SHA-256"), versions)
    rows = [(m.page_id, m.level, m.share_of_work, m.share_of_page, m.score) for m in matches]
    if rows:
        print_table(("页面 page", "程度 level", "占作品 of work", "占页面 of page", "可信度 score"), rows)
    if body is not None:
        click.echo(body)


def _told(value: object) -> object:
    """A field of a work; the parts of one in a line, times as tables have them."""
    if isinstance(value, Progress):
        parts = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        return " · ".join(f"{name} {cell(part)}" for name, part in parts.items() if part is not None)
    return value


@works.command()
@click.argument("ids", metavar="WORK...", nargs=-1)
@click.option("--title", help="What it is called.")
@click.option("--author", help="Who wrote it.")
@click.option("--owner", help="The rights holder, by name.")
@click.option("--kind", help="news, essay, novel ...")
@click.option("--series", help="The book or column that it is part of.")
@click.option("--chapter", help="Its chapter in the series, as it is headed.")
@click.option("--published-at", help="First publication: 2025-11-02, or with a time; in China, unless a zone is given.")
@click.option("--url", help="Where it was published first.")
@click.option("--proof", help="Of first publication: a number or an address.")
@click.option(
    "--csv", "file", type=click.File("rb"), help="A table of many works: id, and the fields to set (- stdin)."
)
@click.option("--preview", is_flag=True, help="With --csv: only tell what would change.")
@click.pass_context
def edit(ctx: click.Context, /, ids: tuple[str, ...], file: BinaryIO | None, preview: bool, **said: str | None) -> None:
    """Set what is said of works; an empty text takes it away. What is imported again later leaves what is set here.

    With --csv, a cell that is empty leaves what is said, and - takes it away; lines that cannot be used are refused
    with their reason, and the others are taken.
    """
    from services.library.details import edit as edit_work

    given = {name: text for name, text in said.items() if text is not None}
    if bool(ids and given) == bool(file):
        raise click.UsageError("name works and what to set of them, or a table by --csv")
    with opened(ctx) as app:
        if file:
            _edit_many(ctx, acting_of(app), file.read(), preview=preview)
        for id in ids:
            edit_work(acting_of(app), work_named(app, id), given)


def _edit_many(ctx: click.Context, acting: "Acting", content: bytes, *, preview: bool) -> None:
    from services.library.details_csv import edit_csv

    done = edit_csv(acting, content, preview=preview)
    for line, reason in done.refused:
        err().print(f"第 {line} 行 line {line}: {reason}")
    rows = [(one.line, one.id, name, old, new) for one in done.edited for name, (old, new) in one.changes.items()]
    if rows:
        print_table(("行 line", "编号 id", "项 field", "原 before", "新 after"), rows)
    click.echo(
        f"{'将改 would change' if preview else '修改 changed'} {len(done.edited)} · 拒绝 refused {len(done.refused)}"
    )
    if done.refused and not done.edited:
        ctx.exit(1)


@works.command()
@click.argument("double", metavar="DOUBLE")
@click.argument("into", metavar="WORK")
@click.pass_context
def merge(ctx: click.Context, double: str, into: str) -> None:
    """Let a work take the place of its double: cases, with their numbers and decisions, and licences go to it, and the
    double is removed.
    """
    from services.library.merge_works import merge as merge_works

    with opened_with_indexes(ctx) as app:
        moved = merge_works(acting_of(app), work_named(app, double), work_named(app, into))
    click.echo(f"转入案件 cases taken over: {moved}")


@works.command("remove")
@click.argument("ids", metavar="WORK...", nargs=-1, required=True)
@click.pass_context
def remove_(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Remove works: they are out of the index at once; their cases stay on record."""
    from services.library.put_and_remove import remove

    with opened_with_indexes(ctx) as app:
        for id in ids:
            remove(acting_of(app), work_named(app, id))
