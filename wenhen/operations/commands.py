"""Define `wenhen problems`, `wenhen audit` and `wenhen plugins`."""

import re
from collections.abc import Callable
from hashlib import file_digest
from pathlib import Path
from typing import Any

import click

from wenhen.cli.console import (
    ActingCommand,
    EnumChoice,
    json_option,
    limit_option,
    open_product,
    pass_acting,
    print_json,
    print_records,
    print_table,
    stderr_console,
    to_plain,
    unreadable_file_error,
    wants_json,
)
from wenhen.kit.errors import WenhenError
from wenhen.kit.plugins import all_plugins
from wenhen.kit.progress import Step
from wenhen.operations.problems import drop_problems, problem_groups, problems_of_kind, retry_problems
from wenhen.steps.problems import IMPORT, ProblemKind

# `wenhen problems`: list, show, retry, drop.


def kind_arguments(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments that name a kind, as `list` shows it."""
    for option in (
        click.option("--step", type=EnumChoice(Step), help="The step that failed."),
        click.option("--kind", help="Class of the error, or the reason that a crawl gave."),
        click.argument("where"),
    ):
        command = option(command)
    return command


@click.group()
def problems() -> None:
    """What was refused or set aside, by kind."""


@problems.command("list")
@json_option
@pass_acting
def list_(acting: ActingCommand) -> None:
    """List the kinds of problems with how many there are of each."""
    groups = problem_groups(acting.product)
    columns = ("来源 where", "种类 kind", "步骤 step", "数目 count", "最近的原因 last reason", "时间 at")
    rows = (
        (group.which.where, group.which.kind, group.which.step, group.count, group.reason, group.at) for group in groups
    )
    print_records(groups, columns, rows)


@problems.command()
@kind_arguments
@limit_option
@json_option
@pass_acting
def show(acting: ActingCommand, where: str, kind: str | None, step: Step | None, limit: int) -> None:
    """Show the problems of one kind, the newest first."""
    from wenhen.works.importers.drafts import describe_source

    problems = problems_of_kind(acting.product, ProblemKind(where, kind, step), limit)
    columns = ("对象 what", "原因 reason", "次数 times", "时间 at")
    name = describe_source if where == IMPORT else str
    rows = ((name(problem.what), problem.reason, problem.times, problem.at) for problem in problems)
    print_records(to_plain(problems), columns, rows)


@problems.command()
@kind_arguments
@pass_acting
def retry(acting: ActingCommand, where: str, kind: str | None, step: Step | None) -> None:
    """Give every work and page of one kind (WHERE is pipeline) its failed step again."""
    click.echo(retry_problems(acting, ProblemKind(where, kind, step)))


@problems.command()
@kind_arguments
@pass_acting
def drop(acting: ActingCommand, where: str, kind: str | None, step: Step | None) -> None:
    """Forget the problems of one kind; its works and pages stay as they are until they change."""
    click.echo(drop_problems(acting, ProblemKind(where, kind, step)))


# `wenhen audit`: the audit log.


_DIGEST = re.compile(r"[0-9a-fA-F]{64}")


@click.group()
def audit() -> None:
    """The log of who did what."""


@audit.command()
@json_option
@pass_acting
def verify(acting: ActingCommand) -> None:
    """Read the whole log, hold each line against the chain of hashes, and each time stamp against its line; status 1
    when something was changed, taken out or put in.
    """
    from wenhen.operations.audit_verification import verify_audit_log

    audit_log = verify_audit_log(acting.product)
    if wants_json():
        print_json(to_plain(audit_log))
    else:
        columns = ("行 lines", "无哈希 without hash", "时间戳 stamps", "不符 failed", "链头 head")
        print_table(
            columns, [(audit_log.lines, audit_log.unsealed, audit_log.stamped, audit_log.failed, audit_log.head)]
        )
        for problem in audit_log.problems:
            stderr_console().print(f"✗ {problem.text('zh')} {problem.text('en')}", style="red", markup=False)
    if audit_log.failed:
        raise WenhenError("evidence.chain_not_whole", count=audit_log.failed)


@audit.command("file")
@click.argument("which", metavar="FILE|SHA256")
@json_option
@click.pass_context
def find_file(ctx: click.Context, which: str) -> None:
    """Say when, and through whom, this very file left the house: a report, an exhibit, a bundle, what went beside a
    mail. By its bytes or its SHA-256; status 1 where no line names it.
    """
    digest = _file_digest(which)
    with open_product(ctx) as app:
        entries = app.store.audit.find(sha256=digest, limit=1_000)
    if wants_json():
        print_json(entries)
    elif entries:
        columns = ("行 line", "时间 at", "用户 who", "操作 action", "对象 subject", "新值 new")
        print_table(columns, [(x.number, x.at, x.who, x.action, x.subject, x.new) for x in entries])
    if not entries:
        raise WenhenError("evidence.file_not_logged", sha256=digest)


def _file_digest(which: str) -> str:
    if _DIGEST.fullmatch(which):
        return which.lower()
    try:
        with Path(which).open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise unreadable_file_error(which, error) from error


# `wenhen plugins`: what other distributions offer.


@click.command()
@json_option
def plugins() -> None:
    """List the plug-ins that are installed: schemes, search engines, platforms, report writers, link extractors.

    A broken one is left out by every command, and stands here with its distribution and error. Needs no server.
    """
    listed = all_plugins()
    if wants_json():
        names = ("group", "name", "source", "distribution", "problem")
        print_json([{name: getattr(plugin, name) for name in names} for plugin in listed])
    elif listed:
        rows = [
            (plugin.group, plugin.name, plugin.distribution, plugin.source, plugin.problem or "可用 works")
            for plugin in listed
        ]
        print_table(("组 group", "名称 name", "程序包 distribution", "来源 source", "状态 state"), rows)
    else:
        stderr_console().print("没有安装插件 no plug-in is installed")
