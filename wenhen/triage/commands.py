"""Define `wenhen rules`: add, preview, switch, list and remove triage rules."""

import click

from wenhen.cli.console import (
    ActingCommand,
    command_acting,
    find_work_id,
    json_option,
    open_product,
    pass_acting,
    print_json,
    print_records,
    print_table,
    wants_json,
)
from wenhen.kit.errors import NotFound
from wenhen.triage.model import RuleAct, TriageRule
from wenhen.triage.service import MAX_PREVIEWED_CASES, add_rule, find_rules, preview_rule, remove_rule, switch_rule

RULE_COLUMNS = (
    "名称 name",
    "动作 act",
    "给谁 to",
    "低于 below",
    "作品 work",
    "站点 site",
    "权利人 holder",
    "状态 state",
)


@click.group()
def rules() -> None:
    """What is done with new leads by itself, once it is switched on."""


@rules.command("list")
@json_option
@pass_acting
def list_command(acting: ActingCommand) -> None:
    """List the rules."""
    rules = find_rules(acting.product)
    print_records(rules, RULE_COLUMNS, (_rule_row(rule) for rule in rules))


@rules.command()
@click.argument("name")
@click.option("--assign", "assignee", help="Assign leads that nobody has to this person.")
@click.option(
    "--quiet-below", type=click.FloatRange(0, 1), help="Silence leads that cover less of the page and of the work."
)
@click.option("--dismiss-licensed", is_flag=True, help="Dismiss leads that a licence covers.")
@click.option("--work", help="Only copies of this work: its id, its title, or how one of them begins.")
@click.option("--site", help="Only pages of this watched site, by its id.")
@click.option("--holder", help="Only copies of this holder's works.")
@click.pass_context
def add(
    ctx: click.Context,
    name: str,
    assignee: str | None,
    quiet_below: float | None,
    dismiss_licensed: bool,
    work: str | None,
    site: str | None,
    holder: str | None,
) -> None:
    """Keep a rule, switched off; NAME stands as the reason of what it does."""
    if (assignee is not None) + (quiet_below is not None) + dismiss_licensed != 1:
        raise click.UsageError("name one of --assign, --quiet-below, --dismiss-licensed")
    act = RuleAct.ASSIGN if assignee else RuleAct.DISMISS if dismiss_licensed else RuleAct.QUIET
    with open_product(ctx) as app:
        rule = add_rule(
            command_acting(app),
            name,
            act,
            work_id=find_work_id(app, work) if work else None,
            site_id=site,
            holder=holder,
            assignee=assignee,
            share_below=quiet_below,
        )
    click.echo(f"{rule.id}: off; `wenhen rules preview {rule.name}` says what it would have done")


@rules.command()
@click.argument("name")
@json_option
@pass_acting
def preview(acting: ActingCommand, name: str) -> None:
    """Say what a rule would have done until now, and what people decided on the same cases."""
    outcome = preview_rule(acting, _find_rule(acting, name))
    if wants_json():
        print_json(outcome)
        return
    among = "all cases" if outcome.whole else f"the newest {MAX_PREVIEWED_CASES} that it may be for"
    click.echo(f"{outcome.cases} of {among}; {outcome.waiting} wait for it")
    print_table(("状态 status", "案件 cases"), list(outcome.decided.items()))


@rules.command()
@click.argument("name")
@pass_acting
def on(acting: ActingCommand, name: str) -> None:
    """Switch a rule on, for leads that open from now on and those that wait."""
    switch_rule(acting, _find_rule(acting, name).id, True)


@rules.command()
@click.argument("name")
@pass_acting
def off(acting: ActingCommand, name: str) -> None:
    """Switch a rule off; what it did stands."""
    switch_rule(acting, _find_rule(acting, name).id, False)


@rules.command()
@click.argument("names", nargs=-1, required=True)
@pass_acting
def remove(acting: ActingCommand, names: tuple[str, ...]) -> None:
    """Forget rules; what they did stands."""
    for name in names:
        remove_rule(acting, _find_rule(acting, name).id)


def _find_rule(acting: ActingCommand, name: str) -> TriageRule:
    """Return the rule with this name or id. Raises NotFound."""
    rule = next((rule for rule in acting.product.store.triage_rules.all() if name in (rule.id, rule.name)), None)
    if rule is None:
        raise NotFound("store.no_triage_rule", id=name)
    return rule


def _rule_row(rule: TriageRule) -> tuple[object, ...]:
    state = "开 on" if rule.on else "关 off"
    places = (rule.work_id, rule.site_id, rule.holder)
    return rule.name, rule.act, rule.assignee, rule.share_below, *places, state
