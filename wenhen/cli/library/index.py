"""`wenhen index`: rebuild, stats, verify."""

import click

from store.errors import WenhenError
from store.records import OwnerKind
from wenhen.cli.shared.opening import opened_with_indexes
from wenhen.cli.shared.output import json_option, plain, print_json, print_table, progress

side = click.argument("kinds", nargs=-1, type=click.Choice([str(kind) for kind in OwnerKind]), metavar="[work|page]...")


@click.group()
def index() -> None:
    """The inverted indexes over works and pages."""


@index.command()
@side
@click.pass_context
def rebuild(ctx: click.Context, kinds: tuple[str, ...]) -> None:
    """Build the indexes anew from the fingerprints, and switch over; look-ups go on meanwhile."""
    from services.upkeep.rebuilding import rebuild_index

    with opened_with_indexes(ctx) as app:
        for kind in kinds or tuple(OwnerKind):
            with progress(f"重建索引 rebuilding {kind}") as advance:
                rebuild_index(app, OwnerKind(kind), advance)


@index.command()
@json_option
@click.pass_context
def stats(ctx: click.Context, as_json: bool) -> None:
    """Show the size of the indexes."""
    with opened_with_indexes(ctx) as app:
        found = {str(kind): plain(app.index(kind).stats()) for kind in OwnerKind}
    if as_json:
        print_json(found)
        return
    columns = list(next(iter(found.values())))
    print_table(("索引 index", *columns), [(kind, *(str(v) for v in row.values())) for kind, row in found.items()])


@index.command()
@json_option
@click.pass_context
def verify(ctx: click.Context, as_json: bool) -> None:
    """Look every fingerprint up in its index; status 1 when one is missing there, or is of another scheme than now."""
    from services.upkeep.rebuilding import verify_index

    with opened_with_indexes(ctx) as app:
        found = {}
        for kind in OwnerKind:
            with progress(f"核对索引 verifying {kind}") as advance:
                found[str(kind)] = verify_index(app, kind, advance)
    if as_json:
        print_json(found)
    else:
        columns = ("索引 index", "指纹 fingerprints", "特征 features", "缺失 missing", "过时 outdated")
        rows = [(kind, row.fingerprints, row.features, row.missing, row.outdated) for kind, row in found.items()]
        print_table(columns, rows)
    missing = sum(row.missing for row in found.values())
    if missing:
        raise WenhenError("rebuilding.missing", count=missing)
    if outdated := sum(row.outdated for row in found.values()):
        raise WenhenError("rebuilding.outdated", count=outdated)
