"""Define `wenhen archive`: verify and tidy WARC files."""

import click

from wenhen.archive.integrity import stamp_closed_files, verify_archive
from wenhen.archive.retention import drop_old_captures, store_closed_files
from wenhen.cli.console import (
    EXISTING_FOLDER,
    ActingCommand,
    json_option,
    pass_acting,
    print_json,
    print_records,
    print_table,
    progress_bar,
    stderr_console,
    to_plain,
    wants_json,
)
from wenhen.kit.errors import BadInput, WenhenError
from wenhen.kit.remote_files import AnyPath


@click.group()
def archive() -> None:
    """The WARC files that crawls leave."""


@archive.command()
@click.argument("folder", required=False, type=EXISTING_FOLDER)
@json_option
@pass_acting
def verify(acting: ActingCommand, folder: AnyPath | None) -> None:
    """Read every record of the WARC files in FOLDER (settings crawler.warc and warc_store) back, its digests
    checked, its time stamps, and every capture that points into them; status 1 when something is not as it was written.
    """
    with progress_bar("核对存档 verifying") as advance:
        result = verify_archive(acting.product, folder, advance)
    if wants_json():
        print_json(to_plain(result))
    else:
        columns = (
            "文件 files",
            "记录 records",
            "重取 again",
            "时间戳 stamped",
            "抓取 captures",
            "他处 elsewhere",
            "不符 failed",
        )
        figures = (
            result.files,
            result.records,
            result.again,
            result.stamped,
            result.captures,
            result.elsewhere,
            result.failed,
        )
        print_table(columns, [tuple(map(str, figures))])
        for problem in result.problems:
            stderr_console().print(str(problem), style="red", markup=False, soft_wrap=True)
    if result.failed:
        raise WenhenError("archive.not_as_written", count=result.failed)


@archive.command()
@json_option
@pass_acting
def stamp(acting: ActingCommand) -> None:
    """Have the closed WARC files of this machine stamped that have no time stamp, as crawls and the daily run do."""
    if not acting.product.settings.evidence.authorities:
        raise BadInput("evidence.no_authority")
    count = stamp_closed_files(acting.product)
    print_records({"stamped": count}, ("时间戳 stamped",), [(str(count),)])


@archive.command()
@json_option
@pass_acting
def store(acting: ActingCommand) -> None:
    """Move the closed WARC files of this machine to crawler.warc_store, as crawls and the daily run do."""
    if not acting.product.settings.crawler.warc_store:
        raise BadInput("archive.no_store")
    count = store_closed_files(acting.product)
    print_records({"stored": count}, ("已存 stored",), [(str(count),)])


@archive.command()
@json_option
@pass_acting
def tidy(acting: ActingCommand) -> None:
    """Drop what is older than keep.days allows, as the daily run does: superseded captures that no case cites, and WARC
    files into which no capture points.
    """
    if not acting.product.settings.keep.days:
        raise BadInput("archive.all_kept")
    dropped = drop_old_captures(acting.product)
    print_records(to_plain(dropped), ("正文 bodies", "文件 files"), [(str(dropped.bodies), str(dropped.files))])
