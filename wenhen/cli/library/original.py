"""`wenhen original`: is this submission original?"""

from typing import TYPE_CHECKING

import click

from store.rules.percent import percent
from wenhen.cli.shared.opening import opened_with_indexes
from wenhen.cli.shared.output import err, json_option, plain, print_json_line, print_table
from wenhen.cli.shared.unstored_texts import Texts

if TYPE_CHECKING:
    from matcher.verdict.originality_answer import EarlierWork, Originality
    from store.records import WorkDraft

_SHOWN = {"pass": "通过 pass", "refused": "拒绝 refused", "too_short": "太短 too_short"}
_COLUMNS = ("文本 text", "结论 answer", "在先作品 earlier work", "占此文 of the text", "段落 passages")
_EXCERPT = 24  # characters of a passage in the table; --json has all of them


@click.command()
@click.argument("what", metavar="FILE|DIR|-...", nargs=-1, required=True)
@click.option(
    "--floor", default=0, type=click.IntRange(0), help="Characters below which no text passes: it is too short to say."
)
@json_option
@click.pass_context
def original(ctx: click.Context, what: tuple[str, ...], floor: int, as_json: bool) -> None:
    """Say whether submissions are original: pass, refused (with the earlier works and the passages) or too_short.

    WHAT are files and folders (the formats of `works import`, so a .jsonl or .csv is a batch) and - for standard input.
    A row a text, or with --json a line a text: {id, title, source, answer, works}. A text is refused where a page with
    it would open a case, and too_short to say where even a word-for-word copy of it would open none. Works that were
    published after the text count for nothing, where both are dated. Nothing is stored.
    Status 1 when a text was refused or could not be read; too_short alone is no failure.
    """
    from services.texts.originality import originality
    from wenhen.cli.library.scan import wait_for_library

    texts = Texts(what)
    answers = []
    rows = []
    with opened_with_indexes(ctx) as app:
        wait_for_library(app)
        for text in texts:
            result = originality(app, text.text, text.published_at, floor=floor)
            answers.append(result.answer.value)
            if as_json:
                print_json_line({"id": text.id, "title": text.title, "source": text.origin} | plain(result))
            else:
                rows.append(_row(text, result))
    if rows:
        print_table(_COLUMNS, rows)
    if short := answers.count("too_short"):
        err().print(f"{short} / {len(answers)} 太短，无法判断 too short to say")
    told = []
    if refused := answers.count("refused"):
        told.append(f"{refused} of {len(answers)} refused")
    if texts.unreadable:
        told.append(f"{texts.unreadable} could not be read")
    if told:
        raise click.ClickException("; ".join(told))


def _row(text: "WorkDraft", result: "Originality") -> tuple[str, ...]:
    works = result.works
    return (
        text.title if text.origin in (None, text.title) else f"{text.title} ({text.origin})",
        _SHOWN[result.answer.value],
        "；".join(f"{work.title} ({work.work_id})" for work in works),
        "；".join(percent(work.share_of_text) for work in works),
        "；".join(_passages(work) for work in works),
    )


def _passages(work: "EarlierWork") -> str:
    return "、".join(f"{one.passage.page_start}–{one.passage.page_end} {_excerpt(one.text)}" for one in work.passages)


def _excerpt(text: str) -> str:
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"
