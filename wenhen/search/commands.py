"""Define `wenhen search`."""

import click

from wenhen.cli.console import json_option, print_json, print_table
from wenhen.cli.opening import open_product

MAX_INDEXED_TEXTS = 100_000  # that one command puts into the index over phrases first


@click.command()
@click.argument("query")
@json_option
@click.pass_context
def search(ctx: click.Context, query: str, as_json: bool) -> None:
    """Look for QUERY in titles, addresses, hosts and comments, and as a phrase in the texts of works and pages."""
    from wenhen.search.service import search_everything, update_phrase_index

    with open_product(ctx) as app:
        update_phrase_index(app, MAX_INDEXED_TEXTS)
        found = search_everything(app, query)
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
