"""Define `wenhen clusters`: list, show and rebuild clusters of near-duplicates."""

import click

from wenhen.cli.console import (
    ActingCommand,
    json_option,
    limit_option,
    open_product,
    pass_acting,
    print_records,
    progress_bar,
    to_plain,
)
from wenhen.clusters.service import find_members, find_titles, rebuild_clusters


@click.group(invoke_without_command=True)
@limit_option
@json_option
@click.pass_context
def clusters(ctx: click.Context, limit: int) -> None:
    """Near-duplicate works and pages (settings cluster.*): a row a cluster, the largest first."""
    if ctx.invoked_subcommand is not None:
        return
    with open_product(ctx) as app:
        found_clusters = app.store.clusters.find(limit=limit)
        titles = find_titles(app.store, [cluster.first for cluster in found_clusters])
    rows = (
        (cluster.id, cluster.works, cluster.pages, titles.get(cluster.first), cluster.since, cluster.until)
        for cluster in found_clusters
    )
    print_records(
        [to_plain(cluster) | {"title": titles.get(cluster.first)} for cluster in found_clusters],
        ("簇 cluster", "作品 works", "网页 pages", "最早 first", "起 from", "止 until"),
        rows,
    )


@clusters.command()
@click.argument("id")
@json_option
@pass_acting
def show(acting: ActingCommand, id: str) -> None:
    """List the works and pages of one cluster, the first seen first; ID may be that of one which was merged into it."""
    members = find_members(acting.product.store, id)
    titles = find_titles(acting.product.store, [member.id for member in members])
    rows = ((member.kind, member.owner_id, titles.get(member.id), member.dated, member.seen) for member in members)
    print_records(
        [to_plain(member) | {"title": titles.get(member.id)} for member in members],
        ("种类 kind", "编号 id", "标题 title", "日期 dated", "初见 seen"),
        rows,
    )


@clusters.command()
@pass_acting
def rebuild(acting: ActingCommand) -> None:
    """Forget all clusters and find them anew from the stored texts, as after a change of the settings cluster.*."""
    with progress_bar("重建簇 rebuilding clusters") as advance:
        rebuild_clusters(acting.product, advance)
