"""Run the chaos experiment: `python -m benchmarks.chaos`, see `make chaos`."""

import signal
import sys
from collections import Counter
from collections.abc import Sequence

import click

from benchmarks.chaos.experiment import FaultCounts, RoundOutcome, count_kills, missed_faults, run_rounds
from benchmarks.chaos.faults import PlanLength, Round, plan_rounds
from wenhen.cli.console import print_table, stderr_console
from wenhen.runtime.settings_sources import load_settings


@click.command()
@click.option("--seed", default=1, show_default=True, help="Of the texts, and of the order in which faults fall.")
@click.option("--size", default=12, show_default=True, type=click.IntRange(4), help="Works, and as many pages.")
@click.option("--each", is_flag=True, help="Every fault once, and a kill in each step.")
@click.option("--kills", type=click.IntRange(1), help="Every fault in every step, and so many kill -9.")
def main(seed: int, size: int, each: bool, kills: int | None) -> None:
    """Strike the deployment in the middle of every step. Exit with status 1 if the result differs from an
    undisturbed run, or a fault never fell at its place.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends the servers too
    length = PlanLength.LONG if kills else PlanLength.EACH if each else PlanLength.SHORT
    plan = plan_rounds(seed, length, kills or 0)
    done: list[RoundOutcome] = []
    try:
        for outcome in run_rounds(load_settings(), plan, seed, size, stderr_console().print):
            done.append(outcome)
            for line in outcome.different:
                stderr_console().print(line, style="red")
    finally:
        fell = _print_summary(seed, plan, done)
    never = missed_faults(plan, fell)
    for line in never:
        stderr_console().print(f"never fell: {line}", style="red")
    sys.exit(bool(never or any(outcome.different for outcome in done)))


def _print_summary(seed: int, plan: Sequence[Round], done: Sequence[RoundOutcome]) -> FaultCounts:
    """Print the results of the finished rounds, and return the counts of faults."""
    fell: FaultCounts = Counter()
    for outcome in done:
        fell += outcome.fell
    equal = sum(not outcome.different for outcome in done)
    rows = [(" + ".join(faults), place, count) for (faults, place), count in sorted(fell.items())]
    facts, seconds = sum(outcome.facts for outcome in done), sum(outcome.seconds for outcome in done)
    title = (
        f"seed {seed}: {equal} of {len(done)} rounds equal ({len(plan)} planned), {facts} facts; "
        f"{count_kills(fell)} kills, {fell.total()} strikes in {seconds:.0f} s"
    )
    print_table(("fault", "in the middle of", "times"), rows, title=title)
    return fell


main()
