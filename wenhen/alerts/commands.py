"""Define `wenhen alerts`: manage alert rules."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from matcher.model import Level
from wenhen.alerts.model import AlertEvent, AlertPace
from wenhen.cases.model import CaseStatus
from wenhen.cli.console import (
    HOST_NAME,
    command_acting,
    find_work_id,
    json_option,
    open_product,
    print_records,
    to_plain,
)
from wenhen.kit.errors import Conflict, message

if TYPE_CHECKING:
    from wenhen.accounts.model import User
    from wenhen.alerts.model import AlertRule, Letter
    from wenhen.cases.filters import Filter
    from wenhen.runtime.wiring import App

RULE_COLUMNS = (
    "编号 id",
    "名称 name",
    "用户 user",
    "事件 events",
    "范围 of",
    "发送 by",
    "何时 pace",
    "最近一封 last letter",
)
EVENT_CHOICE = click.Choice([str(event) for event in AlertEvent])


def case_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that filter the cases of a rule."""
    for option in (
        click.option("--assignee", help="Only cases of this person; me: of the rule's owner."),
        click.option("--text", help="Only cases with these words in a title or the address."),
        click.option("--level", type=click.Choice([str(level) for level in Level]), help="Only cases of this level."),
        click.option(
            "--status", type=click.Choice([str(status) for status in CaseStatus]), help="Only cases of this status."
        ),
        click.option("--work", help="Only copies of this work: its id, its title, or how one of them begins."),
        click.option("--site", help="Only pages of this watched site, by its id."),
        click.option("--host", type=HOST_NAME, help="Only pages of this host."),
    ):
        command = option(command)
    return command


@click.group()
def alerts() -> None:
    """Manage alerts about cases: in the dashboard, by mail and by chat."""


@alerts.command("list")
@click.option("--user", help="Only the rules of this person.")
@json_option
@click.pass_context
def list_(ctx: click.Context, user: str | None) -> None:
    """List the rules without their channels, which contain secrets."""
    from wenhen.alerts.alert_rules import alert_rules_of_people, rule_letters

    with open_product(ctx) as app:
        rules = alert_rules_of_people(command_acting(app), _find_user(app, user) if user else None)
        last = {rule.id: rule_letters(command_acting(app), rule.id)[:1] for rule in rules}
    print_records(
        [{name: value for name, value in to_plain(rule).items() if name != "channel"} for rule in rules],
        RULE_COLUMNS,
        (_rule_row(rule, last[rule.id]) for rule in rules),
    )


@alerts.command()
@click.argument("name")
@click.option(
    "--event", "events", multiple=True, required=True, type=EVENT_CHOICE, help="Event to report. May be repeated."
)
@click.option("--user", help="The person who gets the alerts.")
@click.option(
    "--channel",
    default="",
    help="A mail address, or an address of Apprise (docs/alerts.md). -: read from standard input.",
)
@click.option(
    "--pace", type=click.Choice([str(pace) for pace in AlertPace]), default="at_once", help="When alerts are sent."
)
@click.option("--language", type=click.Choice(["zh", "en"]), default="zh", help="Language of what is sent.")
@case_options
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
    """Create a rule. Without --user, it only sends to its channel."""
    from wenhen.alerts.alert_rules import create_alert_rule

    if not user and not channel:
        raise click.UsageError("name the --user whose bell tells it, a --channel, or both")
    with open_product(ctx) as app:
        rule = create_alert_rule(
            command_acting(app),
            name,
            _case_filter(app, which),
            [AlertEvent(event) for event in events],
            pace=AlertPace(pace),
            channel=_read_channel(channel),
            language=language,
            owner=_find_user(app, user) if user else None,
        )
    click.echo(rule.id)
    _warn_of_channel(rule)


@alerts.command()
@click.argument("id")
@click.option("--name", help="New name.")
@click.option(
    "--event",
    "events",
    multiple=True,
    type=EVENT_CHOICE,
    help="Events to report, in place of the present ones. May be repeated.",
)
@click.option("--channel", help="New channel. -: read from standard input. '': only the bell.")
@click.option("--pace", type=click.Choice([str(pace) for pace in AlertPace]), help="When alerts are sent.")
@click.option("--language", type=click.Choice(["zh", "en"]), help="Language of what is sent.")
@click.option("--pause/--resume", "paused", default=None, help="Pause or resume the alerts.")
@click.option("--all", "of_all", is_flag=True, help="Alerts of all cases.")
@case_options
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
    """Change the given fields of a rule. Case options replace the whole filter."""
    from wenhen.alerts.alert_rules import update_alert_rule

    with open_product(ctx) as app:
        rule = update_alert_rule(
            command_acting(app),
            id,
            name=name,
            chosen=_case_filter(app, which) if of_all or any(which.values()) else None,
            events=[AlertEvent(event) for event in events] or None,
            pace=AlertPace(pace) if pace else None,
            channel=None if channel is None else _read_channel(channel),
            language=language,
            paused=paused,
        )
    if channel:
        _warn_of_channel(rule)


@alerts.command()
@click.argument("id")
@click.pass_context
def test(ctx: click.Context, id: str) -> None:
    """Send a test letter and all due letters, and report whether it was accepted."""
    from wenhen.alerts.alert_rules import rule_letters, send_test_letter
    from wenhen.alerts.notifications import send_due_letters

    with open_product(ctx) as app:
        sent = send_test_letter(command_acting(app), id)
        send_due_letters(app)
        now = next((letter for letter in rule_letters(command_acting(app), id) if letter.id == sent.id), sent)
    if now.problem is not None:
        raise Conflict("alerts.not_taken", said=now.problem.text("en"))
    click.echo("taken" if now.taken_at else "it is due; a worker sends it")


@alerts.command()
@click.argument("ids", nargs=-1, required=True)
@click.pass_context
def remove(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Delete rules with their alerts."""
    from wenhen.alerts.alert_rules import delete_alert_rule

    with open_product(ctx) as app:
        for id in ids:
            delete_alert_rule(command_acting(app), id)


def _case_filter(app: "App", which: dict[str, str | None]) -> "Filter":
    from wenhen.cases.filters import Filter

    status, level, work = which["status"], which["level"], which["work"]
    return Filter(
        host=which["host"],
        site=app.store.sites.get(which["site"]).id if which["site"] else None,
        work=find_work_id(app, work) if work else None,
        status=CaseStatus(status) if status else None,
        level=Level(level) if level else None,
        q=which["text"],
        assignee=which["assignee"],
    )


def _find_user(app: "App", name: str) -> "User":
    from wenhen.accounts.users import fold_user_name

    return app.store.users.get(fold_user_name(name))


def _warn_of_channel(rule: "AlertRule") -> None:
    if rule.unencrypted:
        click.echo(message("alerts.unencrypted", kind=rule.kind or ""), err=True)


def _read_channel(channel: str) -> str:
    """Return the channel, read from standard input if it is "-", so that it stays secret."""
    return sys.stdin.readline() if channel == "-" else channel


def _rule_row(rule: "AlertRule", letters: list["Letter"]) -> tuple[object, ...]:
    last = letters[0] if letters else None
    outcome = last and (last.problem.text("en") if last.problem else last.taken_at or "due")
    by = "暂停 paused" if rule.paused_at else rule.kind or "铃铛 bell"
    return rule.id, rule.name, rule.user, " ".join(rule.events), rule.query or "全部 all", by, rule.pace, outcome
