"""Define `wenhen notices`."""

from datetime import datetime
from pathlib import Path

import click

from wenhen.cli.console import (
    CASE_NUMBER,
    ActingCommand,
    Day,
    EnumChoice,
    NewFile,
    command_acting,
    json_option,
    open_product,
    pass_acting,
    print_json,
    print_record,
    print_records,
    read_file,
    report_write_errors,
    to_plain,
    wants_json,
)
from wenhen.kit.errors import Language
from wenhen.notices.drafting import approve_notice, edit_notice, remove_notice, write_notices
from wenhen.notices.mailbox import fetch_reply_mails
from wenhen.notices.model import AnswerKind, SentBy
from wenhen.notices.platforms import all_platforms
from wenhen.notices.replies import assign_reply, classify_answer, dismiss_reply, read_address_states
from wenhen.notices.sending import mail_notice, record_answer, record_sent_notice
from wenhen.notices.word_templates import WordKind, find_template, reset_template, set_template

ANSWER_CHOICE = EnumChoice(AnswerKind)
WORD_CHOICE = EnumChoice(WordKind)
REPORT_LANGUAGE = click.Choice(["zh", "en"])


class StateWord(click.ParamType[tuple[str, AnswerKind]]):
    """A word of a platform and its meaning: WORD=KIND."""

    name = "word=kind"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, AnswerKind]:
        """Return the word and the kind."""
        word, sign, kind = value.rpartition("=")
        if not sign or not word.strip():
            self.fail(f"{value!r}: WORD=KIND", param, ctx)
        return word, ANSWER_CHOICE.convert(kind, param, ctx)


@click.group()
def notices() -> None:
    """Draft, send and track notices to site operators, in the form that each platform requires."""


@notices.command()
@click.argument("case", type=CASE_NUMBER)
@click.option("--to", "platform", help="Id of another platform than the site's own, such as google.")
@json_option
@pass_acting
def write(acting: ActingCommand, case: int, platform: str | None) -> None:
    """Draft notices about CASE and other copies of the same holder on its site and mirrors."""
    written = write_notices(acting, case, platform)
    print_record(written, *(notice.id for notice in written))


@notices.command("list")
@json_option
@pass_acting
def list_(acting: ActingCommand) -> None:
    """List the newest notices."""
    notices = acting.product.store.notices.recent()
    rows = ((x.id, x.to, x.holder, len(x.case_numbers), x.sent_at, x.deadline, len(x.answers)) for x in notices)
    heads = ("编号 number", "发给 to", "权利人 holder", "案件 cases", "发出 sent", "期限 deadline", "答复 answers")
    print_records(notices, heads, rows)


@notices.command()
@click.argument("id")
@json_option
@pass_acting
def show(acting: ActingCommand, id: str) -> None:
    """Print the text of a notice."""
    notice = acting.product.store.notices.get(id)
    if wants_json():
        print_json(notice)
        return
    click.echo(notice.text, nl=False)


@notices.command()
@click.argument("id")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--days", type=int, help="Number of days until the deadline.")
@pass_acting
def edit(acting: ActingCommand, id: str, file: Path, days: int | None) -> None:
    """Replace the text of a notice with that of FILE, in UTF-8."""
    text = read_file(file).decode("utf-8", errors="replace")
    edit_notice(acting, id, text=text, days=days or acting.product.store.notices.get(id).days)


@notices.command()
@click.argument("id")
@pass_acting
def approve(acting: ActingCommand, id: str) -> None:
    """Approve a notice that another person drafted."""
    approve_notice(acting, id)


@notices.command("sent")
@click.argument("id")
@click.option(
    "--how",
    type=EnumChoice([SentBy.FORM, SentBy.POST]),
    required=True,
    help="How it was sent: by the platform's form, or by post.",
)
@click.option("--to", help="Recipient.")
@click.option("--on", "day", type=Day(), help="Day of sending. Default: today.")
@pass_acting
def record_sent(acting: ActingCommand, id: str, how: SentBy, to: str | None, day: datetime | None) -> None:
    """Record that you sent a notice. Its cases move on and its deadline starts."""
    record_sent_notice(acting, id, how, to=to, sent_at=day)


@notices.command()
@click.argument("id")
@click.argument("to")
@click.option("--at", help="Address of the dashboard, to link to files that are too large for a mail.")
@click.pass_context
def mail(ctx: click.Context, id: str, to: str, at: str | None) -> None:
    """Send a notice by e-mail to the address TO, with report and list of evidence. The exit status is 1 on failure."""
    from wenhen.reports.notice_files import gather_mail_parts

    with open_product(ctx) as app:
        address = (lambda secret: f"{at.rstrip('/')}/shared/{secret}") if at else None
        parts = gather_mail_parts(command_acting(app), id, address)
        notice = mail_notice(command_acting(app), id, to, parts.files, parts.appendix)
    last = notice.sendings[-1]
    click.echo(str(last.problem or last.said), err=last.problem is not None)
    ctx.exit(1 if last.problem else 0)


@notices.command()
@click.argument("id")
@click.argument("kind", type=ANSWER_CHOICE)
@click.argument("text")
@pass_acting
def answer(acting: ActingCommand, id: str, kind: AnswerKind, text: str) -> None:
    """Record an answer to a notice."""
    record_answer(acting, id, kind, text)


@notices.command()
@json_option
@pass_acting
def fetch(acting: ActingCommand) -> None:
    """Fetch reply mails."""
    fetched = fetch_reply_mails(acting)
    print_record(
        fetched, f"归入通知 assigned: {fetched.assigned}  待归入 waiting: {fetched.waiting}  尚有 left: {fetched.left}"
    )


@notices.command("listed")
@click.argument("id")
@click.option("--last", is_flag=True, help="Show the last result without a new query.")
@json_option
@pass_acting
def check_listing(acting: ActingCommand, id: str, last: bool) -> None:
    """Check whether the search engine that received a notice still lists its pages."""
    from wenhen.notices.delisting import check_delisting

    notice = acting.product.store.notices.get(id) if last else check_delisting(acting, id)
    since = notice.sent_at or notice.written_at
    rows = ((f"#{x.case}", x.state, x.days(since), x.looked_at, x.seen_at) for x in notice.listings)
    print_records(
        [to_plain(listing) | {"state": listing.state} for listing in notice.listings],
        ("案件 case", "收录 listed", "天数 days", "查询 looked up", "最后见到 last seen"),
        rows,
    )


@notices.command()
@click.option("--out", "-o", type=(str, NewFile()), help="Write the mail with this id as an .eml file instead.")
@json_option
@pass_acting
def replies(acting: ActingCommand, out: tuple[str, Path] | None) -> None:
    """List the mails that are not assigned to a notice."""
    app = acting.product
    if out is not None:
        _write_out(out[1], app.store.blobs.get(app.store.replies.get(out[0]).id))
        return
    waiting = app.store.replies.find_waiting()
    rows = ((x.id, x.at, x.sender, x.subject) for x in waiting)
    print_records(waiting, ("编号 id", "收到 received", "发件人 from", "主题 subject"), rows)


@notices.command()
@click.argument("mail")
@click.argument("id", required=False)
@pass_acting
def assign(acting: ActingCommand, mail: str, id: str | None) -> None:
    """Assign a MAIL to a notice, or dismiss it if no notice is given."""
    if id is None:
        dismiss_reply(acting, mail)
    else:
        assign_reply(acting, mail, id)


@notices.command()
@click.argument("id")
@click.argument("place", type=click.IntRange(0))
@click.argument("kind", type=ANSWER_CHOICE)
@click.option("--move/--no-move", default=True, help="Also change the status of the notice's cases.")
@pass_acting
def read(acting: ActingCommand, id: str, place: int, kind: AnswerKind, move: bool) -> None:
    """Classify an answer to a notice. PLACE is its index, from 0."""
    classify_answer(acting, id, place, kind, move=move)


@notices.command()
@click.argument("id")
@click.argument("kind", type=WORD_CHOICE)
@click.option("--out", "-o", type=NewFile(), help="File to write (.docx). Default: in the current folder.")
@click.option("--language", type=REPORT_LANGUAGE, help="Language of the list of evidence. Default: both.")
@pass_acting
def word(acting: ActingCommand, id: str, kind: WordKind, out: Path | None, language: Language | None) -> None:
    """Write the notice, its power of attorney or its list of evidence as a Word file."""
    from wenhen.reports.notice_files import write_notice_word

    name, content = write_notice_word(acting, id, kind, language=language)
    _write_out(out or Path(name), content)


@notices.command()
@click.argument("id")
@click.option("--out", "-o", type=NewFile(), help="File to write (.zip). Default: in the current folder.")
@click.option("--language", type=REPORT_LANGUAGE, help="Write report and list of evidence in one. Default: both.")
@pass_acting
def bundle(acting: ActingCommand, id: str, out: Path | None, language: Language | None) -> None:
    """Write the bundle of a notice for counsel: Word files, report, exhibits, documents of the holder."""
    from wenhen.reports.notice_files import write_notice_bundle

    name, content = write_notice_bundle(acting, id, language=language)
    _write_out(out or Path(name), content)


@notices.command()
@click.argument("kind", type=WORD_CHOICE)
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--out", "-o", type=NewFile(), help="Write the word that is used there instead.")
@pass_acting
def template(acting: ActingCommand, kind: WordKind, file: Path | None, out: Path | None) -> None:
    """Use FILE as a Word template from now on. Without FILE, use the default template."""
    if out is not None:
        _write_out(out, find_template(acting.product, kind)[0])
    elif file is None:
        reset_template(acting, kind)
    else:
        set_template(acting, kind, read_file(file))


@notices.command()
@click.argument("id")
@click.option(
    "--out", "-o", type=NewFile(), help="File to write (.txt or .csv). Default: a .txt in the current folder."
)
@pass_acting
def addresses(acting: ActingCommand, id: str, out: Path | None) -> None:
    """Write the addresses of a notice for the form of its platform: one a line as .txt, or as a table in .csv."""
    from wenhen.reports.notice_files import AddressFile, write_addresses

    form = AddressFile.CSV if out is not None and out.suffix.lower() == ".csv" else AddressFile.TXT
    name, content = write_addresses(acting.product, id, form)
    _write_out(out or Path(name), content)


@notices.command()
@click.argument("id")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--word", "words", multiple=True, type=StateWord(), help="Meaning of a state, as in 已封禁=removed.")
@click.option("--move/--no-move", default=True, help="Also change the status of the cases.")
@json_option
@click.pass_context
def states(ctx: click.Context, id: str, file: Path, words: tuple[tuple[str, AnswerKind], ...], move: bool) -> None:
    """Read what the platform did about each address of a notice from FILE (CSV or text). The exit status is 1 if rows
    were refused.
    """
    with open_product(ctx) as app:
        result = read_address_states(command_acting(app), id, read_file(file), words=dict(words), move=move)
    if wants_json():
        print_json(result)
    else:
        for refused in result.refused:
            click.echo(f"{file}:{refused.row}: {refused.reason}", err=True)
        click.echo("  ".join(f"{kind}: {count}" for kind, count in result.kinds.items()))
        click.echo(f"案件 cases moved: {len(result.moved)}  未读入 refused: {len(result.refused)}")
    ctx.exit(1 if result.refused else 0)


@notices.command()
@click.argument("ids", nargs=-1, required=True)
@pass_acting
def remove(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Delete notices that were not sent."""
    for id in ids:
        remove_notice(acting, id)


@notices.command()
@json_option
@pass_acting
def platforms(acting: ActingCommand) -> None:
    """List the platforms that receive notices, with their requirements."""
    known = all_platforms(acting.product)
    rows = ((x.id, x.name, x.law, x.links, x.days, x.entry or x.mail, x.checked_at) for x in known)
    heads = ("编号 id", "名称 name", "依据 law", "链接 links", "天 days", "入口 form", "核对 checked")
    print_records(known, heads, rows)


def _write_out(out: Path, content: bytes) -> None:
    with report_write_errors(out):
        out.write_bytes(content)
    click.echo(str(out))
