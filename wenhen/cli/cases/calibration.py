"""`wenhen calibration`: what a score means, by what people decided."""

import click

from wenhen.cli.shared.opening import opened_with_indexes
from wenhen.cli.shared.output import json_option, plain, print_json, print_table


@click.command("calibration")
@click.option("--now", is_flag=True, help="Take the decisions since the last nightly correction in.")
@json_option
@click.pass_context
def calibration_(ctx: click.Context, now: bool, as_json: bool) -> None:
    """Show the two thresholds, each with its false-alarm rate: as people decided, and as the waiting cases promise.

    Below the first no case opens; from the second on a case is certain; between them a person has to look closely. The
    probability of a match is corrected by the decisions every night.
    """
    from services.calibration import calibration

    with opened_with_indexes(ctx) as app:
        found, limits = calibration(app, correct=now)
    if as_json:
        print_json({**plain(found), "thresholds": limits})
        return
    columns = (
        "阈值 threshold",
        "概率 probability",
        "一致字数 letters",
        "已决定 decided",
        "误报率 false alarms",
        "待定 waiting",
        "预计误报率 expected",
    )
    rows = [
        (
            one.name,
            one.probability,
            one.weight,
            one.decided,
            "–" if one.false_alarms is None else one.false_alarms,
            one.waiting,
            "–" if one.expected_false_alarms is None else one.expected_false_alarms,
        )
        for one in limits
    ]
    print_table(columns, rows, title=f"{found.decisions} 项决定 decisions")
