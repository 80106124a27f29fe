"""Define `wenhen webhooks`: addresses that receive case changes."""

import click

from wenhen.cli.console import command_acting, json_option, open_product, print_records, to_plain
from wenhen.webhooks.model import Event
from wenhen.webhooks.service import CASE_EVENTS, add_webhook, remove_webhook


@click.group()
def webhooks() -> None:
    """The addresses that are told of new and changed cases."""


@webhooks.command()
@click.argument("url")
@click.option(
    "--event",
    "events",
    multiple=True,
    type=click.Choice([str(Event.CASE_NEW), str(Event.CASE_CHANGED)]),
    help="Event to send. Default: both.",
)
@click.pass_context
def add(ctx: click.Context, url: str, events: tuple[str, ...]) -> None:
    """Tell this address, and print the secret that signs what is sent, once."""
    with open_product(ctx) as app:
        hook = add_webhook(command_acting(app), url, [Event(event) for event in events] or CASE_EVENTS)
    click.echo(hook.secret)


@webhooks.command("list")
@json_option
@click.pass_context
def list_(ctx: click.Context) -> None:
    """List the webhooks."""
    with open_product(ctx) as app:
        hooks = app.store.webhooks.all()
    rows = [(hook.id, hook.url, " ".join(hook.events), hook.paused_at) for hook in hooks]
    print_records(
        [{name: value for name, value in to_plain(hook).items() if name != "secret"} for hook in hooks],
        ("编号 id", "地址 url", "事件 events", "暂停 paused"),
        rows,
        title=str(len(rows)),
    )


@webhooks.command()
@click.argument("ids", nargs=-1, required=True)
@click.pass_context
def remove(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Tell these no more."""
    with open_product(ctx) as app:
        for id in ids:
            remove_webhook(command_acting(app), id)
