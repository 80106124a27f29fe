"""`wenhen up`: everything on one machine, until Ctrl-C."""

import click

from wenhen.cli.opening import opened, settings_of
from wenhen.cli.output import err


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="Port of the dashboard; 0 takes a free one.")
@click.pass_context
def up(ctx: click.Context, port: int | None) -> None:
    """Start the servers, the workers, the daily schedule and the dashboard, and keep them running until Ctrl-C."""
    from dashboard.people import FIRST
    from wenhen.embedded import stop_servers
    from wenhen.serving import dashboard_child, keeper_child
    from wenhen.supervise import Supervisor
    from wenhen.web import make_first_administrator
    from wenhen.working import worker_children

    with opened(ctx) as app:
        password = make_first_administrator(app) if app.settings.dashboard.sign_in else None
        address, dashboard = dashboard_child(app, port=port)
        keeper = keeper_child(settings_of(ctx))
        every = [*keeper, *worker_children(app, beat=True), dashboard]
        with Supervisor(every, together=True, say=err().print) as children:
            err().print(f"控制台 dashboard: {address}")
            if password:
                err().print(f"首个管理员 first administrator: {FIRST}\n一次性密码 one-time password: {password}")
            err().print("Ctrl-C 结束 ends everything")
            children.run_until_signal()
    stop_servers(settings_of(ctx).data)
