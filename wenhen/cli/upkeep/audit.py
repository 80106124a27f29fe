"""`wenhen audit`: the log of who did what."""

import click

from store.errors import WenhenError
from wenhen.cli.shared.opening import opened
from wenhen.cli.shared.output import err, json_option, plain, print_json, print_table


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
