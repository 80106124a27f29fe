"""`wenhen down`: the servers that commands started, ended."""

import click

from wenhen.cli.shared.opening import settings_of
from wenhen.cli.shared.output import err


@click.command()
@click.pass_context
def down(ctx: click.Context) -> None:
    """End the servers of the data folder that commands have started and left running; what they hold stays.

    `wenhen up` ends its own at Ctrl-C; while it runs it would start them again.
    """
    from wenhen.embedded import running, stop_servers

    data = settings_of(ctx).data
    there = [info for info in running(data).values() if info.pid is not None]
    stop_servers(data)
    for info in there:
        err().print(f"已结束 ended: {info.name} (pid {info.pid})")
    if not there:
        err().print(f"没有在运行的服务器 no server runs in {data}")
