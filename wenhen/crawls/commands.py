"""Define `wenhen crawl`, `wenhen runs` and `wenhen capture`."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from wenhen.cli.console import (
    ActingCommand,
    EnumChoice,
    command_acting,
    finish_queued_steps,
    json_option,
    open_product_with_indexes,
    pass_acting,
    pass_acting_with_indexes,
    print_json,
    print_records,
    print_table,
    progress_bar,
    read_file,
    stderr_console,
    wants_json,
)
from wenhen.crawls.breakages import breakage_words
from wenhen.crawls.comparison import drop_waiting_addresses, find_missed_addresses, find_waiting
from wenhen.crawls.model import RegionalCapture, Run, RunKind, RunState
from wenhen.crawls.regions import (
    captures_of_page,
    find_target,
    request_regional_captures,
    rounds_of_page,
    run_next_regional_capture,
)
from wenhen.crawls.service import HELD_STATES, NO_PAGE_MESSAGE, begin_crawl, pause_crawl, resume_crawl, stop_crawl
from wenhen.kit.clock import CHINA
from wenhen.kit.errors import Conflict, Message, Unavailable, message
from wenhen.kit.progress import Subject
from wenhen.kit.text import character_count
from wenhen.pages.model import Page
from wenhen.runtime.wiring import App, fetch_region_in_child
from wenhen.steps.problems import Problem

# `wenhen crawl`: crawl a site or a URL now.


@click.command()
@click.argument("subject", metavar="SITE|URL")
@click.option("--no-wait", is_flag=True, help="Return when the crawl is queued.")
@json_option
@pass_acting_with_indexes
def crawl(acting: ActingCommand, subject: str, no_wait: bool) -> None:
    """Crawl a watched site, or a URL, and match its pages. If the same crawl is already running, show its progress.

    A URL whose host belongs to no site is crawled within its host, up to 200 pages and 3 links deep.
    """
    from wenhen.runtime.processes.workers import drain_queues

    app = acting.product
    run = _begin_or_join(app, Subject.read(subject))
    if not no_wait:
        with progress_bar("抓取与比对 crawling") as advance:

            def tell(done: int, total: int) -> None:
                counts = app.store.runs.get(run.id).counts
                answered = sum(counts.get(name, 0) for name in ("fetched", "refused", "failed"))
                advance(done + answered, total + answered + counts.get("waiting", 0))

            drain_queues(app, tell)
        run = app.store.runs.get(run.id)
    problems = app.store.problems.recent()
    print_records(run, ("运行 run", "对象 subject", *run.counts), [(run.id, run.subject, *run.counts.values())])
    if run.state in HELD_STATES:
        stderr_console().print(f"运行 {run.id} 未完成 is {run.state}: wenhen runs resume {run.id}")
    if run.problem and run.problem != NO_PAGE_MESSAGE:
        raise Unavailable(run.problem.code, **run.problem.figures)
    if run.ended_at and run.state is not RunState.STOPPING and not run.counts.get("fetched"):
        raise Unavailable("crawls.nothing_fetched", reason=_last_problem(run, problems))


def _begin_or_join(app: App, subject: Subject) -> Run:
    """Return a new run, or the active run of the same subject, which is reported on stderr."""
    try:
        return begin_crawl(command_acting(app), subject)
    except Conflict:
        going = [run for run in app.store.runs.active(RunKind.CRAWL) if run.subject == subject]
        if not going:
            raise
        stderr_console().print(
            f"{subject} 正在抓取，以下是其进度 is being crawled already, its progress follows: {going[0].id}"
        )
        return going[0]


def _last_problem(run: Run, problems: Sequence[Problem]) -> Message:
    """Return the most recent problem of the URLs of a run."""
    recent = (problem for problem in problems if problem.where == "crawl" and problem.at >= run.started_at)
    sentences = (message("crawls.of_address", url=problem.what, reason=problem.reason) for problem in recent)
    return next(sentences, Message("crawls.leads_nowhere"))


# `wenhen runs`: list runs, show what a crawl has still to fetch, and pause, resume and stop crawls.


@click.group()
def runs() -> None:
    """List, inspect and control crawls and other runs."""


@runs.command("list")
@click.option("--kind", type=EnumChoice(RunKind), help="Only runs of this kind.")
@click.option("--subject", help="Only this site.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="Maximum number of rows.")
@json_option
@pass_acting
def list_(acting: ActingCommand, kind: RunKind | None, subject: str | None, limit: int) -> None:
    """List the most recent runs with their counts."""
    runs = acting.product.store.runs.recent(kind=kind, subject=_parse_subject(subject), limit=limit)
    rows = (
        (
            *(run.id, run.kind, run.subject, run.started_at, run.ended_at, _run_state(run)),
            " ".join(f"{name} {count}" for name, count in run.counts.items()),
        )
        for run in runs
    )
    columns = ("运行 run", "任务 kind", "对象 subject", "开始 started", "结束 ended", "状态 state", "计数 counts")
    print_records(runs, columns, rows)


@runs.command()
@click.argument("id_", metavar="RUN")
@json_option
@pass_acting
def show(acting: ActingCommand, id_: str) -> None:
    """Show a run: differences from the previous run, and URLs that gave no page, by reason."""
    run, missed = acting.product.store.runs.get(id_), find_missed_addresses(acting.product.store, id_)
    if wants_json():
        print_json({"run": run, "missed": missed})
        return
    spent = (run.ended_at or run.heartbeat_at) - run.started_at
    rows: list[tuple[str, object]] = [
        *(("开始 started", run.started_at), ("状态 state", _run_state(run))),
        ("抓取 crawled", f"{run.crawled_seconds:.0f} s"),
        ("等待 waited", f"{spent.total_seconds() - run.crawled_seconds:.0f} s"),
        *(("与上次不同 other than before", str(message)) for message in run.noticed),
        *(("出了问题 broke", f"{breakage_words(broken)}: {broken.url}") for broken in run.breakages),
        *run.counts.items(),
    ]
    print_table(("项目 what", str(run.subject)), rows)
    if missed:
        of_each = [(kind, address.what, address.reason) for kind, addresses in missed.items() for address in addresses]
        print_table(("种类 kind", "地址 address", "原因 reason"), of_each)


@runs.command()
@click.argument("id_", metavar="RUN")
@click.option("--pattern", default="", help="Only addresses with this part (* for anything, re: for expressions).")
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1, 10_000), help="Maximum number of rows.")
@json_option
@pass_acting
def waiting(acting: ActingCommand, id_: str, pattern: str, limit: int) -> None:
    """Show the URLs that a crawl has still to fetch, in their order."""
    waiting_urls = find_waiting(acting.product, id_, pattern, limit)
    print_records(
        waiting_urls, ("地址 address",), ((url,) for url in waiting_urls.first), title=str(waiting_urls.count)
    )


@runs.command()
@click.argument("id_", metavar="RUN")
@click.argument("pattern")
@pass_acting
def drop(acting: ActingCommand, id_: str, pattern: str) -> None:
    """Drop waiting URLs that match PATTERN from this run (* for anything, re: for expressions).

    The next run finds them again. To exclude URLs for good, use `wenhen sites edit --exclude`.
    """
    count = drop_waiting_addresses(acting, id_, pattern)
    click.echo(f"放弃 dropped {count}")


@runs.command()
@click.argument("ids", metavar="RUN...", nargs=-1, required=True)
@pass_acting
def pause(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Pause crawls until they are resumed. Pages that are being fetched are still stored."""
    for id_ in ids:
        pause_crawl(acting, id_)


@runs.command()
@click.argument("ids", metavar="RUN...", nargs=-1, required=True)
@pass_acting
def resume(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Resume crawls where they were paused."""
    for id_ in ids:
        resume_crawl(acting, id_)


@runs.command()
@click.argument("ids", metavar="RUN...", nargs=-1, required=True)
@pass_acting
def stop(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Stop crawls within seconds. Stored pages stay."""
    for id_ in ids:
        stop_crawl(acting, id_)


def _parse_subject(subject: str | None) -> Subject | None:
    return None if subject is None else Subject.read(subject)


def _run_state(run: Run) -> str:
    if run.problem or run.noticed:
        return "; ".join(map(str, filter(None, (run.problem, *run.noticed))))
    if run.ended_at is None:
        return str(run.state)
    return "停止 stopped" if run.state is RunState.STOPPING else ""


# `wenhen capture`: add captures that no crawl can fetch.


SEEN_AT_TYPE = click.DateTime(("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"))


@click.group()
def capture() -> None:
    """Add captures by hand, such as screenshots of an app, and capture pages from several regions."""


@capture.command("add")
@click.argument("files", metavar="[FILE]…", nargs=-1, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--transcript",
    "transcripts",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Transcript of a recording: .srt, .vtt, or .json of Whisper. A passage names the second at which it is heard.",
)
@click.option("--url", required=True, help="Address of the page, such as the link that the app shares.")
@click.option("--app", "app_name", help="App in which it was seen, and its version.")
@click.option("--device", help="Device on which it was seen.")
@click.option("--by", help="Who took it, if it was not you.")
@click.option("--at", "seen_at", type=SEEN_AT_TYPE, help="When it was seen, in Chinese time. Default: now.")
@click.option("--note", help="Notes.")
@click.option("--no-wait", is_flag=True, help="Return when it is stored; matching follows in the background.")
@json_option
@click.pass_context
def add_(
    ctx: click.Context,
    files: tuple[Path, ...],
    transcripts: tuple[Path, ...],
    url: str,
    app_name: str | None,
    device: str | None,
    by: str | None,
    seen_at: datetime | None,
    note: str | None,
    no_wait: bool,
) -> None:
    """Store FILES, in this order, as a capture of the page at a URL, with the circumstances, and match it.

    A file is a page that a browser saved (.html alone, or .mht), a screenshot (.png .jpg .bmp .webp, read with
    wenhen[pictures]), a transcript or a document: .txt .pdf .docx .doc .rtf .epub .mobi .srt .vtt, .json of Whisper,
    or .zip of these.
    """
    from wenhen.crawls.manual_captures import Circumstances, add_capture, require_transcript

    moment = seen_at.replace(tzinfo=CHINA) if seen_at else None
    seen = Circumstances(by=by, seen_at=moment, app=app_name, device=device, note=note)
    brought = [(path.name, read_file(path)) for path in (*files, *transcripts)]
    for name, content in brought[len(files) :]:
        require_transcript(name, content)
    with open_product_with_indexes(ctx) as app:
        page = add_capture(command_acting(app), url, brought, seen)
        if not no_wait:
            finish_queued_steps(app, "比对 matching")
            page = app.store.pages.get(page.id)
        cases = app.store.cases.find(page_id=page.id, limit=100)
    rows = [(page.url, character_count(page), _page_state(page), " ".join(f"#{case.number}" for case in cases))]
    print_records(
        {"page": page, "cases": [case.number for case in cases]},
        ("网址 address", "字数 characters", "问题 problem", "案件 cases"),
        rows,
    )


def _page_state(page: Page) -> str:
    return str(page.progress.problem or page.note or "")


@capture.command()
@click.argument("what", metavar="URL|CASE")
@click.option("--region", "regions", metavar="NAME", multiple=True, help="Only this region. Default: all that are set.")
@click.option("--show", is_flag=True, help="Show the last captures, and fetch nothing.")
@json_option
@pass_acting
def regions(acting: ActingCommand, what: str, regions: tuple[str, ...], show: bool) -> None:
    """Capture a known page, or that of a case, through the proxies of several regions (crawler.regions), side by side.

    The page is fetched the usual way as well. Its versions, its next step and its schedule stay as they are.
    """
    app = acting.product
    page = find_target(app, what)
    if not show:
        _capture_regions(app, page, regions)
    rounds = rounds_of_page(app, page.id)
    captures = rounds[0].captures if rounds else ()
    if wants_json():
        print_json(captures_of_page(app, page.id) if show else captures)
        return
    columns = (
        *("地区 region", "状态 status", "标题 title", "占本页 of the page", "作品 works", "正文 text"),
        *("时间 fetched", "问题 problem"),
    )
    print_table(columns, map(_regional_row, captures))


def _capture_regions(app: App, page: Page, regions: Sequence[str]) -> None:
    """Fetch the page from these regions one by one in this process, with the progress."""
    asked = request_regional_captures(command_acting(app), page.id, regions, queued=False).captures
    with progress_bar("各地抓取 capturing") as advance:
        for done, capture_ in enumerate(asked):
            advance(done, len(asked))
            run_next_regional_capture(app, lambda one: fetch_region_in_child(app.settings, one), capture_.id)


def _regional_row(shown: RegionalCapture) -> tuple[object, ...]:
    share = "" if shown.share_of_page is None else f"{shown.share_of_page:.1%}"
    copies = " ".join(f"#{copy.case_number} {copy.share_of_work:.1%}" for copy in shown.copies)
    fetched_at = shown.capture.fetched_at if shown.capture else None
    digest = (shown.text_digest or "")[:12]
    region = shown.region or "（不经地区代理 direct）"
    return region, shown.status, shown.title or "", share, copies, digest, fetched_at, str(shown.reason or "")
