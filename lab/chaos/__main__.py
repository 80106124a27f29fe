"""`python -m lab.chaos`: see `make chaos`."""

import sys

import click

from lab.chaos.plan import Length, planned
from lab.chaos.run import run
from lab.chaos.workload import Workload
from wenhen.cli.shared.output import err, print_table
from wenhen.settings import load


@click.command()
@click.option("--seed", default=1, show_default=True, help="Of the texts, and of the order in which faults fall.")
@click.option("--size", default=12, show_default=True, type=click.IntRange(4), help="Works, and as many pages.")
@click.option("--each", is_flag=True, help="Every fault once, and a kill in each step.")
@click.option("--kills", type=click.IntRange(1), help="Every fault in every step, until there were so many kill -9.")
def main(seed: int, size: int, each: bool, kills: int | None) -> None:
    """Strike the house in the middle of every step; status 1 where what it left is not what an undisturbed run left, or
    where a fault never fell where it was to.
    """
    length = Length.LONG if kills else Length.EACH if each else Length.SHORT
    outcome = run(load(), Workload(seed, size), planned(seed, length, kills or 0), err().print)
    rows = [(fault, place, count) for (fault, place), count in sorted(outcome.fell.items())]
    title = f"seed {seed}: {outcome.kills} kills, {outcome.fell.total()} faults in {outcome.seconds:.0f} s"
    print_table(("fault", "in the middle of", "times"), rows, title=title)
    for line in (*(f"never fell: {one}" for one in outcome.never), *outcome.different):
        err().print(line, style="red")
    sys.exit(not outcome.right)


main()
