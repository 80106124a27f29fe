"""Define `wenhen works`: import, list, show, edit, merge and remove works."""

import dataclasses
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from wenhen.cli.console import (
    ActingCommand,
    command_acting,
    find_work_id,
    format_cell,
    json_option,
    limit_option,
    open_product,
    pass_acting,
    pass_acting_with_indexes,
    print_json,
    print_records,
    print_table,
    progress_bar,
    stderr_console,
    to_plain,
    wants_json,
)
from wenhen.kit.progress import Progress
from wenhen.kit.text import character_count

if TYPE_CHECKING:
    from wenhen.runtime.processes.workers import CommandWorkers
    from wenhen.runtime.wiring import App
    from wenhen.works.import_export import ImportedWorks

_MAX_NAMED_SHORT_WORKS = 20  # works listed in the warning of an import


@click.group()
def works() -> None:
    """Manage the works whose copies are searched (母体)."""


@works.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--owner", help="Rights holder of works that name none.")
@click.option(
    "--no-wait", is_flag=True, help="Return when all is stored. Fingerprints and look-ups follow in the background."
)
@click.option("--join", is_flag=True, help="Merge new works into works that have the very same text.")
@json_option
@pass_acting_with_indexes
def import_command(
    acting: ActingCommand, paths: tuple[Path, ...], owner: str | None, no_wait: bool, join: bool
) -> None:
    """Import files and folders: .txt .md .html .mht .jsonl .csv .xlsx .pdf .docx .doc .rtf .epub .mobi, and .zip of
    these. Text is in UTF-8, GB18030 or Big5.

    The command tells when the works are protected, which means that their copies are found from then on. It then looks
    up overlaps among works, and copies on stored pages. Ctrl-C leaves that to `wenhen up`.

    The import is idempotent. A changed file creates a new version. Unreadable files are rejected with a reason, and the
    others are imported. The exit status is 1 if nothing was imported.
    """
    from wenhen.matching.rematch import has_unfinished_works
    from wenhen.runtime.processes.workers import CommandWorkers
    from wenhen.works.import_export import import_paths
    from wenhen.works.service import merge_works

    app = acting.product
    with CommandWorkers(app) as workers:
        with progress_bar("读入作品 importing") as advance:

            def advance_batch(done: int, total: int) -> None:
                advance(done, total)
                if not no_wait and has_unfinished_works(app):
                    workers.look_after()  # they fingerprint what is stored while the rest is read

            result = import_paths(acting, paths, owner=owner, progress=advance_batch)
        if join:
            for double, into in result.same_text:
                merge_works(acting, double, into)
        if not no_wait and has_unfinished_works(app):
            _wait_for_works(app, workers)
    print_import(result, nothing="nothing was imported")


def _wait_for_works(app: "App", workers: "CommandWorkers") -> None:
    """Wait until the works are protected, and then for the look-up of their overlaps, which may be interrupted."""
    from wenhen.runtime.processes.workers import drain_queues

    stages, protected = ExitStack(), False
    advance = stages.enter_context(progress_bar("建立指纹 fingerprinting"))

    def advance_stage(done: int, total: int) -> None:
        advance(done, total)

    def tell_protected() -> None:
        nonlocal advance, protected
        protected = True
        stages.close()
        stderr_console().print("作品已受保护 the works are protected", markup=False)
        advance = stages.enter_context(progress_bar("查找雷同 looking up overlaps （Ctrl-C 可离开 may be left）"))

    with stages:
        try:
            drain_queues(app, advance_stage, tell_protected, workers)
        except KeyboardInterrupt:
            if not protected:
                raise
            stderr_console().print("其余雷同由 wenhen up 接着查 `wenhen up` looks up the rest", markup=False)


def print_import(result: "ImportedWorks", *, nothing: str) -> None:
    """Print the result of an import.

    Raises `ClickException`, which starts with `nothing`, if everything was rejected.
    """
    if wants_json():
        print_json(result)
    else:
        print_table(("新 new", "变更 changed", "未变 unchanged", "拒绝 refused"), [result.counts()])
        if result.short:
            named = " ".join(result.short[:_MAX_NAMED_SHORT_WORKS]) + (
                " …" if len(result.short) > _MAX_NAMED_SHORT_WORKS else ""
            )
            stderr_console().print(
                f"太短，抄了也认不出 too short, no copy of these can be told: {named}", style="yellow", markup=False
            )
        if result.same_text:
            print_table(("与已有作品同文 new, with the text of", "已有作品 work"), result.same_text)
        if result.unknown_fields:
            print_table(("未读的字段 unknown field, left out", "作品 works"), result.unknown_fields.items())
        if result.refused:
            from wenhen.works.importers.drafts import describe_source

            print_table(
                ("文件 file", "原因 reason"),
                [(describe_source(refusal.what), refusal.reason) for refusal in result.refused],
            )
    if result.refused and not result.counts().accepted_count:
        raise click.ClickException(f"{nothing}: {len(result.refused)} refused")


@works.command("list")
@click.option("--query", "-q", help="Part of the title, author or id.")
@limit_option
@json_option
@pass_acting
def list_command(acting: ActingCommand, query: str | None, limit: int) -> None:
    """List works, most recently changed first."""
    works_found = acting.product.store.works.find(query=query, limit=limit)
    total = acting.product.store.works.count(query=query)
    rows = (
        (w.id, w.title, w.author, character_count(w), w.version, w.note or w.progress.step, w.updated_at)
        for w in works_found
    )
    columns = ("编号 id", "标题 title", "作者 author", "字数 length", "版本 version", "状态 state", "更新 updated")
    print_records(works_found, columns, rows, title=f"{len(works_found)} / {total}")


@works.command()
@click.argument("id", metavar="WORK")
@click.option("--text", is_flag=True, help="Print the text too.")
@json_option
@pass_acting
def show(acting: ActingCommand, id: str, text: bool) -> None:
    """Show a work: its metadata, versions and copies."""
    app = acting.product
    work = app.store.works.get(find_work_id(app, id))
    matches = app.store.matches.of_work(work.id)
    body = app.store.blobs.get_text(work.text_digest) if text else None
    if wants_json():
        print_json({**to_plain(work), "matches": to_plain(matches), **({"text": body} if text else {})})
        return
    fields = {field.name: getattr(work, field.name) for field in dataclasses.fields(work) if field.name != "versions"}
    print_table(
        ("", work.title), [(name, _format_field(value)) for name, value in fields.items() if value not in (None, ())]
    )
    versions = [
        (version.version, character_count(version), version.stored_at, version.text_digest) for version in work.versions
    ]
    print_table(("版本 version", "字数 length", "入库 stored", "SHA-256"), versions)
    rows = [(m.page_id, m.level, m.share_of_work, m.share_of_page, m.score) for m in matches]
    if rows:
        print_table(("页面 page", "程度 level", "占作品 of work", "占页面 of page", "可信度 score"), rows)
    if body is not None:
        click.echo(body)


def _format_field(value: object) -> object:
    """Format a field of a work for a table. The fields of `Progress` are joined in a line."""
    if isinstance(value, Progress):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return " · ".join(f"{name} {format_cell(part)}" for name, part in parts.items() if part is not None)
    return value


@works.command()
@click.argument("ids", metavar="WORK...", nargs=-1)
@click.option("--title", help="Name.")
@click.option("--author", help="Who wrote it.")
@click.option("--owner", help="The rights holder, by name.")
@click.option("--kind", help="news, essay, novel ...")
@click.option("--series", help="Book or column that the work is part of.")
@click.option("--chapter", help="Title of the chapter.")
@click.option("--published-at", help="First publication: 2025-11-02, or with a time; in China, unless a zone is given.")
@click.option("--url", help="Where it was published first.")
@click.option("--proof", help="Proof of first publication: a number or an address.")
@click.option("--shortest-passage", help="Minimum length of a passage that opens a case, in letters; at least 8.")
@click.option(
    "--csv", "file", type=click.File("rb"), help="Table of works: id, and the fields to set. -: standard input."
)
@click.option("--preview", is_flag=True, help="With --csv: only print what would change.")
@click.pass_context
def edit(ctx: click.Context, /, ids: tuple[str, ...], file: BinaryIO | None, preview: bool, **said: str | None) -> None:
    """Edit the metadata of works. An empty text clears a field. Later imports keep edited fields.

    With --csv, an empty cell keeps a field and - clears it. Invalid lines are rejected with a reason, and the others
    are applied.
    """
    from wenhen.works.service import edit_work

    given = {name: text for name, text in said.items() if text is not None}
    if bool(ids and given) == bool(file):
        raise click.UsageError("name works and what to set of them, or a table by --csv")
    with open_product(ctx) as app:
        if file:
            _edit_works_csv(ctx, command_acting(app), file.read(), preview=preview)
        for id in ids:
            edit_work(command_acting(app), find_work_id(app, id), given)


def _edit_works_csv(ctx: click.Context, acting: ActingCommand, content: bytes, *, preview: bool) -> None:
    from wenhen.works.import_export import edit_works_csv

    done = edit_works_csv(acting, content, preview=preview)
    for refused in done.refused:
        stderr_console().print(f"{refused.place.text('zh')} {refused.place}: {refused.reason}")
    rows = [(edit.line, edit.id, name, old, new) for edit in done.edited for name, (old, new) in edit.changes.items()]
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
@pass_acting_with_indexes
def merge(acting: ActingCommand, double: str, into: str) -> None:
    """Merge a duplicate into a work: its cases (with numbers and decisions) and licences move, and it is removed."""
    from wenhen.works.service import merge_works

    moved = merge_works(acting, find_work_id(acting.product, double), find_work_id(acting.product, into))
    click.echo(f"转入案件 cases taken over: {moved}")


@works.command("remove")
@click.argument("ids", metavar="WORK...", nargs=-1, required=True)
@pass_acting_with_indexes
def remove_command(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Remove works. They leave the index at once. Their cases stay."""
    from wenhen.works.service import remove_work

    for id in ids:
        remove_work(acting, find_work_id(acting.product, id))
