"""`wenhen audit`: the log of who did what."""

import re
from hashlib import file_digest
from pathlib import Path

import click

from store.errors import WenhenError
from wenhen.cli.shared.files import unreadable
from wenhen.cli.shared.opening import opened
from wenhen.cli.shared.output import err, json_option, plain, print_json, print_table

_DIGEST = re.compile(r"[0-9a-fA-F]{64}")


@click.group()
def audit() -> None:
    """The log of who did what."""


@audit.command()
@json_option
@click.pass_context
def verify(ctx: click.Context, as_json: bool) -> None:
    """Read the whole log, hold each line against the chain of hashes, and each time stamp against its line; status 1
    when something was changed, taken out or put in.
    """
    from services.verify_audit_log import verify_log

    with opened(ctx) as app:
        found = verify_log(app)
    if as_json:
        print_json(plain(found))
    else:
        columns = ("行 lines", "无哈希 without hash", "时间戳 stamps", "不符 failed", "链头 head")
        print_table(columns, [(found.lines, found.unsealed, found.stamped, found.failed, found.head)])
        for problem in found.problems:
            err().print(f"✗ {problem.text('zh')} {problem.text('en')}", style="red", markup=False)
    if found.failed:
        raise WenhenError("evidence.chain_not_whole", count=found.failed)


@audit.command("file")
@click.argument("which", metavar="FILE|SHA256")
@json_option
@click.pass_context
def find_file(ctx: click.Context, which: str, as_json: bool) -> None:
    """Say when, and through whom, this very file left the house: a report, an exhibit, a bundle, what went beside a
    mail. By its bytes or its SHA-256; status 1 where no line names it.
    """
    digest = _digest(which)
    with opened(ctx) as app:
        found = app.store.audit.find(sha256=digest, limit=1_000)
    if as_json:
        print_json(found)
    elif found:
        columns = ("行 line", "时间 at", "用户 who", "操作 action", "对象 subject", "新值 new")
        print_table(columns, [(x.number, x.at, x.who, x.action, x.subject, x.new) for x in found])
    if not found:
        raise WenhenError("evidence.file_not_logged", sha256=digest)


def _digest(which: str) -> str:
    if _DIGEST.fullmatch(which):
        return which.lower()
    try:
        with Path(which).open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(which, error) from error
