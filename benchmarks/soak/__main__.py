"""Run the soak test: `python -m benchmarks.soak`, see `make soak`."""

import sys

import click

from benchmarks.soak.run import run_soak
from wenhen.cli.console import print_table, stderr_console
from wenhen.runtime.settings_sources import load_settings


@click.command()
@click.option("--minutes", default=30.0, show_default=True, type=click.FloatRange(0.5), help="How long.")
def main(minutes: float) -> None:
    """Crawl, match, browse and export at once.

    Exit with status 1 if memory grows by more than 5 % after settling, 1 of 100 answers takes more than 500 ms, or a
    queue grows without end.
    """
    soaked = run_soak(load_settings(), 60 * minutes, stderr_console().print)
    rows = [(f"memory of {name}, growth", f"{share:+.1%}") for name, share in soaked.growth.items()]
    rows += [(f"waiting in {name}, first and last", f"{a} → {b}") for name, (a, b) in soaked.backlog.items()]
    rows += [
        ("dashboard, p99", f"{soaked.p99:.0f} ms of {len(soaked.answers)} answers"),
        ("works brought, pages, reports", f"{soaked.works}, {soaked.pages}, {soaked.reports}"),
    ]
    rows += [(f"/{screen}, median and slowest", f"{mid:.0f}, {most:.0f} ms") for screen, mid, most in soaked.screens]
    print_table(("figure", f"in {minutes:g} minutes"), rows)
    for fault in soaked.faults:
        stderr_console().print(fault, style="red")
    sys.exit(bool(soaked.faults))


main()
