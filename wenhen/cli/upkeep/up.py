"""`wenhen up`: everything on one machine, until Ctrl-C."""

from contextlib import ExitStack
from threading import Thread
from typing import TYPE_CHECKING

import click

from wenhen.cli.shared.opening import opened_with_indexes, settings_of
from wenhen.cli.shared.output import err

if TYPE_CHECKING:
    from wenhen.settings import Settings
    from wenhen.wiring import App


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="Port of the dashboard; 0 takes a free one.")
@click.pass_context
def up(ctx: click.Context, port: int | None) -> None:
    """Start the servers, the workers, the daily schedule and the dashboard, and keep them running until Ctrl-C."""
    from wenhen.embedded import stop_servers
    from wenhen.embedded.alone_on_folder import alone_on

    settings = settings_of(ctx)
    with ExitStack() as held:
        with opened_with_indexes(ctx) as app:
            held.enter_context(alone_on(settings.data))
            _run(app, settings, port)
        stop_servers(settings.data)


def _run(app: "App", settings: "Settings", port: int | None) -> None:
    from services.people.users import FIRST
    from wenhen.processes.dashboard_admission import make_first_administrator
    from wenhen.processes.dashboard_process import dashboard_child, keeper_child
    from wenhen.processes.prometheus_targets import watched
    from wenhen.processes.supervise import Logs, Supervisor
    from wenhen.processes.workers import worker_children

    address, dashboard = dashboard_child(app, port=port)  # refused before the password is shown, once
    if app.settings.dashboard.sign_in and (password := make_first_administrator(app)):
        err().print(f"首个管理员 first administrator: {FIRST}\n一次性密码 one-time password: {password}")
    keeper = keeper_child(settings)
    log = app.settings.log
    every = [*keeper, *watched(app, [*worker_children(app, beat=True), dashboard])]
    logs = Logs(log.max_mb * 1_000_000, log.keep)
    with Supervisor(every, together=True, say=err().print, logs=logs) as children:
        # In a thread, so that Ctrl-C ends a slow start as well.
        Thread(target=_greet, args=(address,), daemon=True).start()
        children.run_until_signal()


def _greet(address: str) -> None:
    """Say where the dashboard is, once it is there."""
    from wenhen.processes.dashboard_process import wait_until_served

    wait_until_served(address)
    err().print(f"控制台 dashboard: {address}\nCtrl-C 结束 ends everything")
