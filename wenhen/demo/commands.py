"""Run the whole chain on sample texts: the command `wenhen demo`."""

import sys
from pathlib import Path

import click

from wenhen.cases.commands import CASE_COLUMNS, case_rows
from wenhen.cli.console import (
    command_acting,
    command_settings,
    json_option,
    print_json,
    print_table,
    stderr_console,
    wants_json,
)


@click.command()
@click.option("--once", is_flag=True, help="End after the report; status 0 only if the cases are the right ones.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port of the dashboard; 0 takes a free one.")
@click.option(
    "--out",
    "-o",
    default=Path("out/demo-report.xlsx"),
    show_default=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="File of the infringement report. A .json file is written beside it.",
)
@json_option
@click.pass_context
def demo(ctx: click.Context, once: bool, port: int | None, out: Path) -> None:
    """Run the whole chain on sample texts: import works, crawl a small web, match, open cases, write a report.

    Servers and data are thrown away at the end. Without --once the dashboard stays until Ctrl-C.
    """
    from wenhen.demo.run import start_demo
    from wenhen.reports.service import write_report

    say = stderr_console().print
    port = 0 if once and port is None else port
    with start_demo(command_settings(ctx), port=port) as running:
        outcome = running.run(say)
        cases = sorted(outcome.cases, key=lambda case: (case.page_host, case.page_url, case.work_title))
        if wants_json():
            print_json(cases)
        else:
            print_table(CASE_COLUMNS, case_rows(running.app, cases), title="涉嫌侵权 suspected piracy")
        for path in (out, out.with_suffix(".json")):
            write_report(command_acting(running.app), path)
            say(f"报告 report: {path}")
        say(
            f"预期 expected {len(outcome.expected)} cases, 发现 found {len(outcome.cases)} "
            f"on {outcome.pages} pages in {outcome.seconds:.0f} s"
        )
        for word, pairs in (
            ("缺失 missing", outcome.missing_pairs),
            ("多余 surplus", outcome.surplus_pairs),
            ("授权标记有误 wrongly licensed", outcome.wrongly_licensed),
        ):
            for url, title in pairs:
                say(f"{word}: {title} {url}")
        if not once:
            say(f"控制台 dashboard: {running.dashboard}\nCtrl-C 结束 ends everything")
            running.children.run_until_signal()
    if not outcome.right:
        sys.exit(1)
