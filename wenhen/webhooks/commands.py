"""Define `wenhen webhooks`: addresses that receive case changes."""

import click

from wenhen.cli.console import ActingCommand, EnumChoice, json_option, pass_acting, print_records, without_fields
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
    type=EnumChoice([Event.CASE_NEW, Event.CASE_CHANGED]),
    help="Event to send. Default: both.",
)
@pass_acting
def add(acting: ActingCommand, url: str, events: tuple[Event, ...]) -> None:
    """Tell this address, and print the secret that signs what is sent, once."""
    hook = add_webhook(acting, url, events or CASE_EVENTS)
    click.echo(hook.secret)


@webhooks.command("list")
@json_option
@pass_acting
def list_(acting: ActingCommand) -> None:
    """List the webhooks."""
    hooks = acting.product.store.webhooks.all()
    rows = [(hook.id, hook.url, " ".join(hook.events), hook.paused_at) for hook in hooks]
    print_records(
        [without_fields(hook, "secret") for hook in hooks],
        ("编号 id", "地址 url", "事件 events", "暂停 paused"),
        rows,
        title=str(len(rows)),
    )


@webhooks.command()
@click.argument("ids", nargs=-1, required=True)
@pass_acting
def remove(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Tell these no more."""
    for id in ids:
        remove_webhook(acting, id)
