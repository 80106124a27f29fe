"""Define `wenhen alerts`: manage alert rules."""

import sys
from collections.abc import Callable
from typing import Any

import click

from matcher.model import Level
from wenhen.accounts.model import User
from wenhen.accounts.users import fold_user_name
from wenhen.alerts.alert_rules import (
    alert_rules_of_people,
    create_alert_rule,
    delete_alert_rule,
    rule_letters,
    send_test_letter,
    update_alert_rule,
)
from wenhen.alerts.model import AlertEvent, AlertPace, AlertRule, Letter
from wenhen.cases.filters import Filter
from wenhen.cases.model import CaseStatus
from wenhen.cli.console import (
    HOST_NAME,
    ActingCommand,
    EnumChoice,
    command_acting,
    find_work_id,
    json_option,
    open_product,
    pass_acting,
    print_records,
    without_fields,
)
from wenhen.kit.errors import Conflict, message

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
EVENT_CHOICE = EnumChoice(AlertEvent)
PACE_CHOICE = EnumChoice(AlertPace)
LANGUAGE_CHOICE = click.Choice(["zh", "en"])


def case_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that filter the cases of a rule."""
    for option in (
        click.option("--assignee", help="Only cases of this person; me: of the rule's owner."),
        click.option("--text", help="Only cases with these words in a title or the address."),
        click.option("--level", type=EnumChoice(Level), help="Only cases of this level."),
        click.option("--status", type=EnumChoice(CaseStatus), help="Only cases of this status."),
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
@pass_acting
def list_(acting: ActingCommand, user: str | None) -> None:
    """List the rules without their channels, which contain secrets."""
    rules = alert_rules_of_people(acting, _find_user(acting, user) if user else None)
    last = {rule.id: rule_letters(acting, rule.id)[:1] for rule in rules}
    print_records(
        [without_fields(rule, "channel") for rule in rules],
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
@click.option("--pace", type=PACE_CHOICE, default="at_once", help="When alerts are sent.")
@click.option("--language", type=LANGUAGE_CHOICE, default="zh", help="Language of what is sent.")
@case_options
@click.pass_context
def add(
    ctx: click.Context,
    /,
    name: str,
    events: tuple[AlertEvent, ...],
    user: str | None,
    channel: str,
    pace: AlertPace,
    language: Any,
    **which: str | None,
) -> None:
    """Create a rule. Without --user, it only sends to its channel."""
    if not user and not channel:
        raise click.UsageError("name the --user whose bell tells it, a --channel, or both")
    with open_product(ctx) as app:
        acting = command_acting(app)
        rule = create_alert_rule(
            acting,
            name,
            _case_filter(acting, which),
            events,
            pace=pace,
            channel=_read_channel(channel),
            language=language,
            owner=_find_user(acting, user) if user else None,
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
@click.option("--pace", type=PACE_CHOICE, help="When alerts are sent.")
@click.option("--language", type=LANGUAGE_CHOICE, help="Language of what is sent.")
@click.option("--pause/--resume", "paused", default=None, help="Pause or resume the alerts.")
@click.option("--all", "of_all", is_flag=True, help="Alerts of all cases.")
@case_options
@pass_acting
def edit(
    acting: ActingCommand,
    /,
    id: str,
    events: tuple[AlertEvent, ...],
    channel: str | None,
    pace: AlertPace | None,
    of_all: bool,
    name: str | None,
    language: Any,
    paused: bool | None,
    **which: str | None,
) -> None:
    """Change the given fields of a rule. Case options replace the whole filter."""
    rule = update_alert_rule(
        acting,
        id,
        name=name,
        chosen=_case_filter(acting, which) if of_all or any(which.values()) else None,
        events=events or None,
        pace=pace,
        channel=None if channel is None else _read_channel(channel),
        language=language,
        paused=paused,
    )
    if channel:
        _warn_of_channel(rule)


@alerts.command()
@click.argument("id")
@pass_acting
def test(acting: ActingCommand, id: str) -> None:
    """Send a test letter and all due letters, and report whether it was accepted."""
    from wenhen.alerts.notifications import send_due_letters

    sent = send_test_letter(acting, id)
    send_due_letters(acting.product)
    now = next((letter for letter in rule_letters(acting, id) if letter.id == sent.id), sent)
    if now.problem is not None:
        raise Conflict("alerts.not_taken", said=now.problem.text("en"))
    click.echo("taken" if now.taken_at else "it is due; a worker sends it")


@alerts.command()
@click.argument("ids", nargs=-1, required=True)
@pass_acting
def remove(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Delete rules with their alerts."""
    for id in ids:
        delete_alert_rule(acting, id)


def _case_filter(acting: ActingCommand, which: dict[str, str | None]) -> Filter:
    status, level, work = which["status"], which["level"], which["work"]
    return Filter(
        host=which["host"],
        site=acting.product.store.sites.get(which["site"]).id if which["site"] else None,
        work=find_work_id(acting.product, work) if work else None,
        status=CaseStatus(status) if status else None,
        level=Level(level) if level else None,
        q=which["text"],
        assignee=which["assignee"],
    )


def _find_user(acting: ActingCommand, name: str) -> User:
    return acting.product.store.users.get(fold_user_name(name))


def _warn_of_channel(rule: AlertRule) -> None:
    if rule.unencrypted:
        click.echo(message("alerts.unencrypted", kind=rule.kind or ""), err=True)


def _read_channel(channel: str) -> str:
    """Return the channel, read from standard input if it is "-", so that it stays secret."""
    return sys.stdin.readline() if channel == "-" else channel


def _rule_row(rule: AlertRule, letters: list[Letter]) -> tuple[object, ...]:
    last = letters[0] if letters else None
    outcome = last and (last.problem.text("en") if last.problem else last.taken_at or "due")
    by = "暂停 paused" if rule.paused_at else rule.kind or "铃铛 bell"
    return rule.id, rule.name, rule.user, " ".join(rule.events), rule.query or "全部 all", by, rule.pace, outcome
