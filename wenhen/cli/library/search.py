"""`wenhen search`: one question to everything."""

import click

from wenhen.cli.shared.opening import opened
from wenhen.cli.shared.output import json_option, print_json, print_table

MOST_TEXTS = 100_000  # that one command puts into the index over phrases first


@click.command()
@click.argument("query")
@json_option
@click.pass_context
def search(ctx: click.Context, query: str, as_json: bool) -> None:
    """Look for QUERY in titles, addresses, hosts and comments, and as a phrase in the texts of works and pages."""
    from pipeline.library.phrase_index import catch_up
    from services.search import everything

    with opened(ctx) as app:
        catch_up(app, MOST_TEXTS)
        found = everything.search(app, query)
    if as_json:
        print_json(found)
        return
    rows: list[tuple[object, ...]] = [
        (one.owner, one.title, f"…{one.before}【{one.found}】{one.after}…", "" if one.exact else "音同 by sound")
        for one in found.texts.hits
    ]
    rows += [(f"work:{one.id}", one.title, one.author, "") for one in found.works]
    rows += [(f"case:{one.number}", one.page_title, one.page_url, one.status) for one in found.cases]
    rows += [(f"page:{one.id}", one.title, one.url, "") for one in found.pages]
    rows += [(f"site:{one.id}", one.name, " ".join(one.hosts), "") for one in found.sites]
    rows += [(f"case:{one.case_number}", one.by, one.text, "评论 comment") for one in found.comments]
    print_table(("何处 where", "标题 title", "内容 what", ""), rows)
    if found.texts.letters < found.texts.least:
        click.echo(f"texts were not searched: a phrase has {found.texts.least} characters or more", err=True)
