"""Define `wenhen search`."""

import click

from wenhen.cli.console import ActingCommand, json_option, pass_acting, print_json, print_table, wants_json

MAX_INDEXED_TEXTS = 100_000  # that one command puts into the index over phrases first


@click.command()
@click.argument("query")
@json_option
@pass_acting
def search(acting: ActingCommand, query: str) -> None:
    """Look for QUERY in titles, addresses, hosts and comments, and as a phrase in the texts of works and pages."""
    from wenhen.search.service import search_everything, update_phrase_index

    update_phrase_index(acting.product, MAX_INDEXED_TEXTS)
    result = search_everything(acting.product, query)
    if wants_json():
        print_json(result)
        return
    rows: list[tuple[object, ...]] = [
        (hit.owner, hit.title, f"…{hit.before}【{hit.found}】{hit.after}…", "" if hit.exact else "音同 by sound")
        for hit in result.texts.hits
    ]
    rows += [(f"work:{work.id}", work.title, work.author, "") for work in result.works]
    rows += [(f"case:{case.number}", case.page_title, case.page_url, case.status) for case in result.cases]
    rows += [(f"page:{page.id}", page.title, page.url, "") for page in result.pages]
    rows += [(f"site:{site.id}", site.name, " ".join(site.hosts), "") for site in result.sites]
    rows += [(f"case:{comment.case_number}", comment.by, comment.text, "评论 comment") for comment in result.comments]
    print_table(("何处 where", "标题 title", "内容 what", ""), rows)
    if result.texts.letters < result.texts.least:
        click.echo(f"texts were not searched: a phrase has {result.texts.least} characters or more", err=True)
