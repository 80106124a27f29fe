"""`wenhen crawl`: a site or an address, now."""

from collections.abc import Sequence

import click

from store.errors import Conflict, Unavailable
from store.messages import Message, message
from store.records import Problem, Run, RunKind, RunState, Subject
from wenhen.cli.shared.opening import acting_of, opened_with_indexes
from wenhen.cli.shared.output import err, json_option, print_json, print_table, progress
from wenhen.wiring import App


@click.command()
@click.argument("subject", metavar="SITE|URL")
@click.option("--no-wait", is_flag=True, help="Return when the crawl is queued.")
@json_option
@click.pass_context
def crawl(ctx: click.Context, subject: str, no_wait: bool, as_json: bool) -> None:
    """Crawl a watched site, or an address, and match what it holds. A crawl of it that runs already is shown instead.

    An address whose host no site names is crawled within its host, 200 pages and 3 links deep.
    """
    from services.crawls.end_of_run import NO_PAGE
    from services.crawls.runs import HELD
    from wenhen.processes.working_off import work_off

    with opened_with_indexes(ctx) as app:
        run = _begun(app, Subject.read(subject))
        if not no_wait:
            with progress("抓取与比对 crawling") as advance:

                def tell(done: int, total: int) -> None:
                    counts = app.store.runs.get(run.id).counts
                    asked = sum(counts.get(name, 0) for name in ("fetched", "refused", "failed"))
                    advance(done + asked, total + asked + counts.get("waiting", 0))

                work_off(app, tell)
            run = app.store.runs.get(run.id)
        problems = app.store.problems.recent()
    if as_json:
        print_json(run)
    else:
        print_table(("运行 run", "对象 subject", *run.counts), [(run.id, run.subject, *run.counts.values())])
    if run.state in HELD:
        err().print(f"运行 {run.id} 未完成 is {run.state}: wenhen runs resume {run.id}")
    if run.problem and run.problem != NO_PAGE:
        raise Unavailable(run.problem.code, **run.problem.figures)
    if run.ended_at and run.state is not RunState.STOPPING and not run.counts.get("fetched"):
        raise Unavailable("crawls.nothing_fetched", reason=_why(run, problems))


def _begun(app: App, subject: Subject) -> Run:
    """A new run; or that which crawls the same already, told on stderr."""
    from services.crawls.steered_by_people import crawl as crawl_now

    try:
        return crawl_now(acting_of(app), subject)
    except Conflict:
        going = [run for run in app.store.runs.active(RunKind.CRAWL) if run.subject == subject]
        if not going:
            raise
        err().print(f"{subject} 正在抓取，以下是其进度 is being crawled already, its progress follows: {going[0].id}")
        return going[0]


def _why(run: Run, problems: Sequence[Problem]) -> Message:
    """The last thing that went wrong with its addresses."""
    lately = (one for one in problems if one.where == "crawl" and one.at >= run.started_at)
    told = (message("crawls.of_address", url=one.what, reason=one.reason) for one in lately)
    return next(told, Message("crawls.leads_nowhere"))
