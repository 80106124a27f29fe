"""`wenhen webhooks`: who is told of cases."""

import click

from store.records import Event
from wenhen.cli.shared.opening import acting_of, opened
from wenhen.cli.shared.output import json_option, plain, print_json, print_table


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
    help="Of what; of both otherwise.",
)
@click.pass_context
def add(ctx: click.Context, url: str, events: tuple[str, ...]) -> None:
    """Tell this address, and print the secret that signs what is sent, once."""
    from services.webhooks import registry

    with opened(ctx) as app:
        hook = registry.add(acting_of(app), url, [Event(one) for one in events] or registry.TELLABLE)
    click.echo(hook.secret)


@webhooks.command("list")
@json_option
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the webhooks."""
    with opened(ctx) as app:
        found = app.store.webhooks.all()
    if as_json:
        print_json([{name: value for name, value in plain(one).items() if name != "secret"} for one in found])
        return
    rows = [(hook.id, hook.url, " ".join(hook.events), hook.paused_at) for hook in found]
    print_table(("编号 id", "地址 url", "事件 events", "暂停 paused"), rows, title=str(len(rows)))


@webhooks.command()
@click.argument("ids", nargs=-1, required=True)
@click.pass_context
def remove(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Tell these no more."""
    from services.webhooks import registry

    with opened(ctx) as app:
        for id in ids:
            registry.remove(acting_of(app), id)
