"""`wenhen alerts`: the rules by which people are told of cases."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from store.errors import Conflict
from store.messages import message
from store.records import AlertEvent, AlertPace, CaseStatus, Level
from wenhen.cli.shared.naming import work_named
from wenhen.cli.shared.opening import acting_of, opened
from wenhen.cli.shared.output import json_option, plain, print_json, print_table

if TYPE_CHECKING:
    from services.cases.case_filter import Filter
    from store.records import AlertRule, Letter, User
    from wenhen.wiring import App

COLUMNS = (
    "编号 id",
    "名称 name",
    "用户 user",
    "事件 events",
    "范围 of",
    "发送 by",
    "何时 pace",
    "最近一封 last letter",
)
EVENT = click.Choice([str(one) for one in AlertEvent])


def which_cases(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say of which cases a rule tells."""
    for option in (
        click.option("--assignee", help="Only cases of this person; me: of the rule's owner."),
        click.option("--text", help="Only cases with these words in a title or the address."),
        click.option("--level", type=click.Choice([str(one) for one in Level]), help="Only cases of this level."),
        click.option(
            "--status", type=click.Choice([str(one) for one in CaseStatus]), help="Only cases of this status."
        ),
        click.option("--work", help="Only copies of this work: its id, its title, or how one of them begins."),
        click.option("--site", help="Only pages of this watched site, by its id."),
        click.option("--host", help="Only pages of this host."),
    ):
        command = option(command)
    return command


@click.group()
def alerts() -> None:
    """What people are told of: under the bell, by mail and by chat."""


@alerts.command("list")
@click.option("--user", help="Only the rules of this person.")
@json_option
@click.pass_context
def list_(ctx: click.Context, user: str | None, as_json: bool) -> None:
    """List the rules, without their channels, which hold secrets."""
    from services.alerts import own_rules

    with opened(ctx) as app:
        found = own_rules.of_people(acting_of(app), _user(app, user) if user else None)
        last = {rule.id: own_rules.letters(acting_of(app), rule.id)[:1] for rule in found}
    if as_json:
        print_json([{name: value for name, value in plain(rule).items() if name != "channel"} for rule in found])
    else:
        print_table(COLUMNS, [_row(rule, last[rule.id]) for rule in found])


@alerts.command()
@click.argument("name")
@click.option("--event", "events", multiple=True, required=True, type=EVENT, help="What is told; may be repeated.")
@click.option("--user", help="Whose rule it is: it stands under their bell.")
@click.option("--channel", default="", help="An address of Apprise (docs/alerts.md); -: read from standard input.")
@click.option("--pace", type=click.Choice([str(one) for one in AlertPace]), default="at_once", help="When it is sent.")
@click.option("--language", type=click.Choice(["zh", "en"]), default="zh", help="Of what is sent.")
@which_cases
@click.pass_context
def add(
    ctx: click.Context,
    /,
    name: str,
    events: tuple[str, ...],
    user: str | None,
    channel: str,
    pace: str,
    language: Any,
    **which: str | None,
) -> None:
    """Make a rule; without --user it is sent by its channel alone."""
    from services.alerts import own_rules

    if not user and not channel:
        raise click.UsageError("name the --user whose bell tells it, a --channel, or both")
    with opened(ctx) as app:
        rule = own_rules.add(
            acting_of(app),
            name,
            _filter(app, which),
            [AlertEvent(one) for one in events],
            pace=AlertPace(pace),
            channel=_read(channel),
            language=language,
            owner=_user(app, user) if user else None,
        )
    click.echo(rule.id)
    _warn(rule)


@alerts.command()
@click.argument("id")
@click.option("--name", help="Another name.")
@click.option("--event", "events", multiple=True, type=EVENT, help="What is told instead; may be repeated.")
@click.option("--channel", help="Another channel; -: read from standard input; '': the bell alone.")
@click.option("--pace", type=click.Choice([str(one) for one in AlertPace]), help="When it is sent.")
@click.option("--language", type=click.Choice(["zh", "en"]), help="Of what is sent.")
@click.option("--pause/--resume", "paused", default=None, help="Tell nothing, or go on.")
@click.option("--all", "of_all", is_flag=True, help="Of all cases.")
@which_cases
@click.pass_context
def edit(
    ctx: click.Context,
    /,
    id: str,
    events: tuple[str, ...],
    channel: str | None,
    pace: str | None,
    of_all: bool,
    name: str | None,
    language: Any,
    paused: bool | None,
    **which: str | None,
) -> None:
    """Change what is given; which cases are meant is said anew as a whole."""
    from services.alerts import own_rules

    with opened(ctx) as app:
        rule = own_rules.change(
            acting_of(app),
            id,
            name=name,
            chosen=_filter(app, which) if of_all or any(which.values()) else None,
            events=[AlertEvent(one) for one in events] or None,
            pace=AlertPace(pace) if pace else None,
            channel=None if channel is None else _read(channel),
            language=language,
            paused=paused,
        )
    if channel:
        _warn(rule)


@alerts.command()
@click.argument("id")
@click.pass_context
def test(ctx: click.Context, id: str) -> None:
    """Send a letter that tells nothing, beside what is due, and say whether it was taken."""
    from services.alerts import own_rules
    from services.alerts.letters import send_due

    with opened(ctx) as app:
        sent = own_rules.test(acting_of(app), id)
        send_due(app)
        now = next((one for one in own_rules.letters(acting_of(app), id) if one.id == sent.id), sent)
    if now.problem is not None:
        raise Conflict("alerts.not_taken", said=now.problem.text("en"))
    click.echo("taken" if now.taken_at else "it is due; a worker sends it")


@alerts.command()
@click.argument("ids", nargs=-1, required=True)
@click.pass_context
def remove(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Forget rules, with what they told."""
    from services.alerts import own_rules

    with opened(ctx) as app:
        for id in ids:
            own_rules.remove(acting_of(app), id)


def _filter(app: "App", which: dict[str, str | None]) -> "Filter":
    from services.cases.case_filter import Filter

    status, level, work = which["status"], which["level"], which["work"]
    return Filter(
        host=which["host"],
        site=app.store.sites.get(which["site"]).id if which["site"] else None,
        work=work_named(app, work) if work else None,
        status=CaseStatus(status) if status else None,
        level=Level(level) if level else None,
        q=which["text"],
        assignee=which["assignee"],
    )


def _user(app: "App", name: str) -> "User":
    from services.people.users import folded

    return app.store.users.get(folded(name))


def _warn(rule: "AlertRule") -> None:
    if rule.unencrypted:
        click.echo(message("alerts.unencrypted", kind=rule.kind or ""), err=True)


def _read(channel: str) -> str:
    """The channel, which need not stand where others see it."""
    return sys.stdin.readline() if channel == "-" else channel


def _row(rule: "AlertRule", letters: list["Letter"]) -> tuple[object, ...]:
    last = letters[0] if letters else None
    told = last and (last.problem.text("en") if last.problem else last.taken_at or "due")
    by = "暂停 paused" if rule.paused_at else rule.kind or "铃铛 bell"
    return rule.id, rule.name, rule.user, " ".join(rule.events), rule.query or "全部 all", by, rule.pace, told
