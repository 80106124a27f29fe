"""Define `wenhen index` and `wenhen rematch`."""

import click

from wenhen.cli.console import (
    ActingCommand,
    EnumChoice,
    finish_queued_steps,
    json_option,
    pass_acting_with_indexes,
    print_records,
    progress_bar,
    to_plain,
)
from wenhen.kit.errors import WenhenError
from wenhen.kit.progress import OwnerKind

# `wenhen index`: rebuild, stats, verify.


side_argument = click.argument("kinds", nargs=-1, type=EnumChoice(OwnerKind), metavar="[work|page]...")


@click.group()
def index() -> None:
    """The inverted indexes over works and pages."""


@index.command()
@side_argument
@pass_acting_with_indexes
def rebuild(acting: ActingCommand, kinds: tuple[OwnerKind, ...]) -> None:
    """Build the indexes anew from the fingerprints, and switch over; look-ups go on meanwhile."""
    from wenhen.matching.index_rebuild import request_index_rebuild

    for kind in kinds or tuple(OwnerKind):
        with progress_bar(f"重建索引 rebuilding {kind}") as advance:
            request_index_rebuild(acting.product, kind, advance)


@index.command()
@json_option
@pass_acting_with_indexes
def stats(acting: ActingCommand) -> None:
    """Show the size of the indexes."""
    figures = {str(kind): to_plain(acting.product.index(kind).stats()) for kind in OwnerKind}
    columns = list(next(iter(figures.values())))
    print_records(
        figures, ("索引 index", *columns), ((kind, *(str(v) for v in row.values())) for kind, row in figures.items())
    )


@index.command()
@json_option
@pass_acting_with_indexes
def verify(acting: ActingCommand) -> None:
    """Look every fingerprint up in its index; status 1 when one is missing there, or is of another scheme than now."""
    from wenhen.matching.index_rebuild import verify_index

    figures = {}
    for kind in OwnerKind:
        with progress_bar(f"核对索引 verifying {kind}") as advance:
            figures[str(kind)] = verify_index(acting.product, kind, advance)
    columns = ("索引 index", "指纹 fingerprints", "特征 features", "缺失 missing", "过时 outdated")
    rows = ((kind, row.fingerprints, row.features, row.missing, row.outdated) for kind, row in figures.items())
    print_records(figures, columns, rows)
    missing = sum(row.missing for row in figures.values())
    if missing:
        raise WenhenError("rebuilding.missing", count=missing)
    if outdated := sum(row.outdated for row in figures.values()):
        raise WenhenError("rebuilding.outdated", count=outdated)


@index.command()
@click.option("--check", is_flag=True, help="Change nothing; status 1 when letters are damaged.")
@json_option
@pass_acting_with_indexes
def letters(acting: ActingCommand, check: bool) -> None:
    """Make the letters of works on this machine anew, by which candidates are screened before anything is fetched."""
    from wenhen.fingerprints.service import check_letters, rebuild_letters

    app = acting.product
    if not check:
        with progress_bar("重建字母 rebuilding letters") as advance:
            rebuild_letters(app, advance)
    report = check_letters(app)
    size = app.work_letters.size() if app.work_letters else 0
    columns = ("齐备 there", "缺失 missing", "损坏 damaged", "字节 bytes")
    print_records({**report._asdict(), "bytes": size}, columns, [(*report, size)])
    if report.damaged:
        raise WenhenError("rebuilding.letters_damaged", count=report.damaged)


# `wenhen rematch`: match the whole library again.


@click.group()
def rematch() -> None:
    """The library against the pages that are stored, and against itself."""


@rematch.command()
@click.option("--all", "everything", is_flag=True, help="All works, also those for which nothing can have changed.")
@click.option("--no-wait", is_flag=True, help="Return when it has started.")
@json_option
@pass_acting_with_indexes
def now(acting: ActingCommand, everything: bool, no_wait: bool) -> None:
    """Look works up again now, instead of at night: those for which something may have changed since."""
    from wenhen.matching.rematch import end_finished_rematch, start_rematch

    app = acting.product
    run = start_rematch(app, everything=everything)
    if not no_wait:
        finish_queued_steps(app, "重新比对 matching anew")
        end_finished_rematch(app)
        run = app.store.runs.get(run.id)
    print_records(run, ("运行 run", *run.counts), [(run.id, *run.counts.values())])
