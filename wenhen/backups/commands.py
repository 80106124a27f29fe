"""Define `wenhen backup` and `wenhen restore`."""

import json
import tempfile
from datetime import datetime
from pathlib import Path

import click

from wenhen.cli.console import (
    EXISTING_FOLDER,
    FOLDER,
    command_settings,
    json_option,
    open_product,
    print_json,
    print_records,
    print_table,
    progress_bar,
    stderr_console,
    to_plain,
    wants_json,
)
from wenhen.kit.remote_files import AnyPath
from wenhen.runtime.settings_sources import Settings
from wenhen.runtime.wiring import (
    SECRET_KEY_VARIABLE,
    backup_environment,
    open_app,
    read_secret_keys,
    restore_secret_key,
)


@click.command()
@click.argument("folder", type=FOLDER)
@click.option(
    "--log", "with_log", is_flag=True, help="Add to the backup in FOLDER what was written since (MongoDB's oplog)."
)
@click.option("--verify", is_flag=True, help="Restore the backup into other servers afterwards, and compare.")
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    help="Afterwards, remove the oldest backups beside FOLDER until so many are left, this one among them.",
)
@json_option
@click.pass_context
def backup(ctx: click.Context, folder: AnyPath, with_log: bool, verify: bool, keep: int | None) -> None:
    """Write everything that cannot be made again into FOLDER, also s3://bucket/folder, while the system works: MongoDB
    as of one moment, the WARC files, keys and settings.

    Sealed where backup.key is set; the files are readable by their owner alone. Where MongoDB is no replica set, writes
    wait while its records are read (the embedded one is such a set with mongo.oplog).
    """
    from wenhen.backups.backup import append_log, create_backup, drop_old_backups, make_backup_key

    if isinstance(folder, Path):
        folder = folder.absolute()
    settings = command_settings(ctx)
    with open_product(ctx) as app:
        secret_keys = read_secret_keys(settings, app.store)
        if with_log:
            made = append_log(app, folder)
        else:
            with progress_bar("备份 backing up") as advance:
                made = create_backup(app, folder, backup_environment(settings, app.store), advance)
    if verify:
        _verify_backup(settings, folder)
    if keep:
        for old in drop_old_backups(
            folder, make_backup_key(app), keep, lambda then: then.get(SECRET_KEY_VARIABLE) in secret_keys
        ):
            stderr_console().print(f"已删除旧备份 removed the old backup: {old}")
    documents = sum(part.size for part in (*made.collections, *made.contents))
    until = datetime.fromtimestamp(made.logged_until[0]).astimezone() if made.logged_until else None
    columns = ("记录 documents", "存档文件 files", "截至 as of", "已核对 verified")
    print_records(made, columns, [(documents, len(made.archive), until or made.made_at, "✓" if verify else "")])


@click.command()
@click.argument("folder", type=EXISTING_FOLDER)
@click.option(
    "--until",
    type=click.DateTime(["%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S"]),
    help="Restore the state of this moment (local time if it has no zone). The backup must have logs up to it.",
)
@json_option
@click.pass_context
def restore(ctx: click.Context, folder: AnyPath, until: datetime | None) -> None:
    """Put the backup in FOLDER back into an empty data folder (--data) or database, compare what is there then with
    what was written, and build the indexes. The settings of then are kept beside it, to be taken over by hand.
    """
    from wenhen.backups.restore import restore_backup

    app = open_app(command_settings(ctx))  # not opened as in other commands: indexes are built after the restore
    try:
        with progress_bar("恢复 restoring") as advance:
            done = restore_backup(app, folder, until.astimezone() if until else None, advance)
        if key := json.loads(done.settings.read_text(encoding="utf-8")).get(SECRET_KEY_VARIABLE):
            restore_secret_key(app.settings, key)
    finally:
        app.store.close()
    if wants_json():
        print_json(to_plain(done._asdict() | {"settings": str(done.settings)}))
        return
    columns = ("记录 documents", "存档文件 files", "重放 replayed", "备份于 made at")
    print_table(columns, [(done.documents, done.files, done.replayed, done.made_at)])
    stderr_console().print(f"当时的设置 the settings of then: {done.settings}")


def _verify_backup(settings: Settings, folder: AnyPath) -> None:
    """Restore into temporary servers, which are deleted afterwards."""
    from wenhen.backups.restore import restore_backup
    from wenhen.runtime.embedded.servers import throwaway_servers

    with throwaway_servers() as servers, tempfile.TemporaryDirectory() as data:
        given = {
            "data": Path(data),
            "mongo": settings.mongo.model_copy(update={"url": servers.mongo_url}),
            "redis": settings.redis.model_copy(update={"url": servers.redis_url}),
            "index": settings.index.model_copy(update={"url": None, "cluster": False}),
            "crawler": settings.crawler.model_copy(update={"warc": None, "warc_store": None}),
        }
        app = open_app(settings.model_copy(update=given))
        try:
            with progress_bar("核对 verifying") as advance:
                restore_backup(app, folder, None, advance)
        finally:
            app.store.close()
