"""Define `wenhen mark` and `wenhen marks`: write marked copies, and trace a pirate's text to its copy."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from matcher.marking.choices import MarkKind
from wenhen.cli.console import (
    ActingCommand,
    EnumChoice,
    InputTexts,
    command_acting,
    json_option,
    open_product,
    pass_acting,
    print_json,
    print_records,
    print_table,
    stderr_console,
    wants_json,
    without_fields,
    write_file,
)
from wenhen.kit.errors import BadInput

if TYPE_CHECKING:
    from wenhen.marks.model import TracedText

_MAX_SHOWN_COPIES = 5
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--for", "recipients", metavar="ID", multiple=True, required=True, help="Recipient of a copy, each once.")
@click.option("--title", help="Title of the text.  [default: that of the file]")
@click.option("--kinds", multiple=True, type=EnumChoice(MarkKind), help="Kinds of marks.  [default: all]")
@click.option(
    "--out",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path(),
    help="Folder for the copies.  [default: this one]",
)
@json_option
@click.pass_context
def mark(
    ctx: click.Context,
    file: Path,
    recipients: tuple[str, ...],
    title: str | None,
    kinds: tuple[MarkKind, ...],
    out: Path,
) -> None:
    """Write a copy of FILE for each recipient. Readers see no difference, and `wenhen marks read` tells them apart.

    FILE is any file that `works import` reads. Copies are plain text.
    """
    from wenhen.marks.service import mark_text

    texts = InputTexts([str(file)])
    read = list(texts)
    if len(read) != 1:
        raise BadInput("marks.not_one_text", file=file, count=len(read))
    with open_product(ctx) as app:
        written = mark_text(
            command_acting(app),
            title or read[0].title,
            read[0].text,
            recipients,
            frozenset(kinds) or frozenset(MarkKind),
        )
    for each in written:
        name = _NOT_IN_NAMES.sub("_", f"{file.stem}-{each.copy.recipient}")
        write_file(out / f"{name}-{each.copy.id[:6]}.txt", each.text.encode("utf-8", "surrogatepass"))
    if wants_json():
        print_json([each.copy for each in written])


@click.group()
def marks() -> None:
    """Marked copies, and whose copy leaked."""


@marks.command("list")
@json_option
@pass_acting
def list_command(acting: ActingCommand) -> None:
    """List the marked texts."""
    texts = acting.product.store.marked_texts.all()
    rows = ((x.id, x.title, x.characters, x.places, x.made_at, x.made_by) for x in texts)
    print_records(
        [without_fields(text, "sealed") for text in texts],
        ("编号 id", "标题 title", "字数 characters", "标记处 places", "时间 at", "操作者 by"),
        rows,
    )


@marks.command()
@click.argument("text")
@json_option
@pass_acting
def copies(acting: ActingCommand, text: str) -> None:
    """List the copies of a TEXT (id), by recipient."""
    from wenhen.marks.service import list_copies

    found = list_copies(acting, text)
    print_records(
        found,
        ("收件人 recipient", "时间 at", "操作者 by", "SHA-256"),
        ((x.recipient, x.made_at, x.made_by, x.sha256) for x in found),
    )


@marks.command()
@click.argument("page")
@click.option("--text", "text_id", help="Only this marked text (id).  [default: all]")
@json_option
@pass_acting
def read(acting: ActingCommand, page: str, text_id: str | None) -> None:
    """Say from which copy a PAGE stems: a file, the number of a case (#12), or a stored page (id or URL).

    A copy is named if the chance that any uninvolved copy agrees so well is one in a million or less. Nothing of it is
    stored with the case, and no exhibit has it.
    """
    from wenhen.marks.service import load_suspect, trace_text

    suspect = (
        "\n".join(x.text for x in InputTexts([page])) if Path(page).is_file() else load_suspect(acting.product, page)
    )
    traced = trace_text(acting, suspect, text_id)
    if wants_json():
        print_json([_traced_fields(each) for each in traced])
        return
    _print_traced(traced)


def _print_traced(traced: "Sequence[TracedText]") -> None:
    if not any(each.named_copies for each in traced):
        stderr_console().print("未能指认任何副本 no copy is named")
    for each in traced:
        rows = [
            (copy.copy, f"{copy.agreeing}/{copy.places}", f"{copy.chance:.2g}", "是 yes" if copy.is_named else "否 no")
            for copy in each.copies[:_MAX_SHOWN_COPIES]
        ]
        heads = ("收件人 recipient", "相符 agreeing", "误认概率 chance of a false name", "指认 named")
        print_table(heads, rows, title=f"{each.text.id} {each.text.title}: {each.read}/{each.text.places}")


@marks.command()
@click.argument("case", type=int)
@click.argument("text")
@click.option("--word", required=True, help="Who of the rights holder allowed it, and when.")
@json_option
@pass_acting
def state(acting: ActingCommand, case: int, text: str, word: str) -> None:
    """Let exhibits and reports of a CASE (number) say from which copy of the marked TEXT (id) its page stems.

    By default they say nothing of marks. Only the rights holder decides whether others learn of them.
    """
    from wenhen.marks.service import state_marks

    statement = state_marks(acting, case, text, word=word)
    print_records(
        statement,
        ("收件人 recipient", "相符 agreeing", "误认概率 chance of a false name", "SHA-256"),
        ((x.recipient, f"{x.agreeing}/{x.places}", f"{x.chance:.2g}", x.sha256) for x in statement.copies),
    )


@marks.command()
@click.argument("case", type=int)
@pass_acting
def withdraw(acting: ActingCommand, case: int) -> None:
    """Let later exhibits and reports of a CASE (number) say nothing of marks. Those that were made stay."""
    from wenhen.marks.service import withdraw_marks

    withdraw_marks(acting, case)


def _traced_fields(traced: "TracedText") -> dict[str, object]:
    return {
        "text": without_fields(traced.text, "sealed"),
        "read": traced.read,
        "copies": [copy._asdict() | {"named": copy.is_named} for copy in traced.copies[:_MAX_SHOWN_COPIES]],
    }
