"""Define `wenhen notices`."""

from datetime import datetime
from pathlib import Path

import click

from wenhen.cli.console import (
    CASE_NUMBER,
    Day,
    NewFile,
    command_acting,
    json_option,
    open_product,
    print_json,
    print_records,
    read_file,
    report_write_errors,
    to_plain,
    wants_json,
)
from wenhen.kit.errors import Language
from wenhen.notices.drafting import approve_notice, edit_notice, remove_notice, write_notices
from wenhen.notices.model import AnswerKind, SentBy
from wenhen.notices.sending import mail_notice, record_answer, record_sent_notice

SENDING_CHOICE = click.Choice(["form", "post"])
ANSWER_CHOICE = click.Choice(["received", "removed", "refused", "counter_notice", "other"])
WORD_CHOICE = click.Choice(["notice", "authority", "evidence"])
REPORT_LANGUAGE = click.Choice(["zh", "en"])


class StateWord(click.ParamType[tuple[str, str]]):
    """A word of a platform and its meaning: WORD=KIND."""

    name = "word=kind"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
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
@click.pass_context
def write(ctx: click.Context, case: int, platform: str | None) -> None:
    """Draft notices about CASE and other copies of the same holder on its site and mirrors."""
    with open_product(ctx) as app:
        written = write_notices(command_acting(app), case, platform)
    if wants_json():
        print_json(written)
        return
    for notice in written:
        click.echo(notice.id)


@notices.command("list")
@json_option
@click.pass_context
def list_(ctx: click.Context) -> None:
    """List the newest notices."""
    with open_product(ctx) as app:
        notices = app.store.notices.recent()
    rows = ((x.id, x.to, x.holder, len(x.case_numbers), x.sent_at, x.deadline, len(x.answers)) for x in notices)
    heads = ("编号 number", "发给 to", "权利人 holder", "案件 cases", "发出 sent", "期限 deadline", "答复 answers")
    print_records(notices, heads, rows)


@notices.command()
@click.argument("id")
@json_option
@click.pass_context
def show(ctx: click.Context, id: str) -> None:
    """Print the text of a notice."""
    with open_product(ctx) as app:
        notice = app.store.notices.get(id)
    if wants_json():
        print_json(notice)
        return
    click.echo(notice.text, nl=False)


@notices.command()
@click.argument("id")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--days", type=int, help="Number of days until the deadline.")
@click.pass_context
def edit(ctx: click.Context, id: str, file: Path, days: int | None) -> None:
    """Replace the text of a notice with that of FILE, in UTF-8."""
    with open_product(ctx) as app:
        text = read_file(file).decode("utf-8", errors="replace")
        edit_notice(command_acting(app), id, text=text, days=days or app.store.notices.get(id).days)


@notices.command()
@click.argument("id")
@click.pass_context
def approve(ctx: click.Context, id: str) -> None:
    """Approve a notice that another person drafted."""
    with open_product(ctx) as app:
        approve_notice(command_acting(app), id)


@notices.command("sent")
@click.argument("id")
@click.option("--how", type=SENDING_CHOICE, required=True, help="How it was sent: by the platform's form, or by post.")
@click.option("--to", help="Recipient.")
@click.option("--on", "day", type=Day(), help="Day of sending. Default: today.")
@click.pass_context
def record_sent(ctx: click.Context, id: str, how: str, to: str | None, day: datetime | None) -> None:
    """Record that you sent a notice. Its cases move on and its deadline starts."""
    with open_product(ctx) as app:
        record_sent_notice(command_acting(app), id, SentBy(how), to=to, sent_at=day)


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
@click.pass_context
def answer(ctx: click.Context, id: str, kind: str, text: str) -> None:
    """Record an answer to a notice."""
    with open_product(ctx) as app:
        record_answer(command_acting(app), id, AnswerKind(kind), text)


@notices.command()
@json_option
@click.pass_context
def fetch(ctx: click.Context) -> None:
    """Fetch reply mails."""
    from wenhen.notices.mailbox import fetch_reply_mails

    with open_product(ctx) as app:
        fetched = fetch_reply_mails(command_acting(app))
    if wants_json():
        print_json(fetched)
        return
    click.echo(f"归入通知 assigned: {fetched.assigned}  待归入 waiting: {fetched.waiting}  尚有 left: {fetched.left}")


@notices.command("listed")
@click.argument("id")
@click.option("--last", is_flag=True, help="Show the last result without a new query.")
@json_option
@click.pass_context
def check_listing(ctx: click.Context, id: str, last: bool) -> None:
    """Check whether the search engine that received a notice still lists its pages."""
    from wenhen.notices.delisting import check_delisting

    with open_product(ctx) as app:
        notice = app.store.notices.get(id) if last else check_delisting(command_acting(app), id)
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
@click.pass_context
def replies(ctx: click.Context, out: tuple[str, Path] | None) -> None:
    """List the mails that are not assigned to a notice."""
    with open_product(ctx) as app:
        if out is not None:
            _write_out(out[1], app.store.blobs.get(app.store.replies.get(out[0]).id))
            return
        waiting = app.store.replies.find_waiting()
    rows = ((x.id, x.at, x.sender, x.subject) for x in waiting)
    print_records(waiting, ("编号 id", "收到 received", "发件人 from", "主题 subject"), rows)


@notices.command()
@click.argument("mail")
@click.argument("id", required=False)
@click.pass_context
def assign(ctx: click.Context, mail: str, id: str | None) -> None:
    """Assign a MAIL to a notice, or dismiss it if no notice is given."""
    from wenhen.notices.replies import assign_reply, dismiss_reply

    with open_product(ctx) as app:
        if id is None:
            dismiss_reply(command_acting(app), mail)
        else:
            assign_reply(command_acting(app), mail, id)


@notices.command()
@click.argument("id")
@click.argument("place", type=click.IntRange(0))
@click.argument("kind", type=ANSWER_CHOICE)
@click.option("--move/--no-move", default=True, help="Also change the status of the notice's cases.")
@click.pass_context
def read(ctx: click.Context, id: str, place: int, kind: str, move: bool) -> None:
    """Classify an answer to a notice. PLACE is its index, from 0."""
    from wenhen.notices.replies import classify_answer

    with open_product(ctx) as app:
        classify_answer(command_acting(app), id, place, AnswerKind(kind), move=move)


@notices.command()
@click.argument("id")
@click.argument("kind", type=WORD_CHOICE)
@click.option("--out", "-o", type=NewFile(), help="File to write (.docx). Default: in the current folder.")
@click.option("--language", type=REPORT_LANGUAGE, help="Language of the list of evidence. Default: both.")
@click.pass_context
def word(ctx: click.Context, id: str, kind: str, out: Path | None, language: Language | None) -> None:
    """Write the notice, its power of attorney or its list of evidence as a Word file."""
    from wenhen.notices.word_templates import WordKind
    from wenhen.reports.notice_files import write_notice_word

    with open_product(ctx) as app:
        name, content = write_notice_word(command_acting(app), id, WordKind(kind), language=language)
    _write_out(out or Path(name), content)


@notices.command()
@click.argument("id")
@click.option("--out", "-o", type=NewFile(), help="File to write (.zip). Default: in the current folder.")
@click.option("--language", type=REPORT_LANGUAGE, help="Write report and list of evidence in one. Default: both.")
@click.pass_context
def bundle(ctx: click.Context, id: str, out: Path | None, language: Language | None) -> None:
    """Write the bundle of a notice for counsel: Word files, report, exhibits, documents of the holder."""
    from wenhen.reports.notice_files import write_notice_bundle

    with open_product(ctx) as app:
        name, content = write_notice_bundle(command_acting(app), id, language=language)
    _write_out(out or Path(name), content)


@notices.command()
@click.argument("kind", type=WORD_CHOICE)
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--out", "-o", type=NewFile(), help="Write the word that is used there instead.")
@click.pass_context
def template(ctx: click.Context, kind: str, file: Path | None, out: Path | None) -> None:
    """Use FILE as a Word template from now on. Without FILE, use the default template."""
    from wenhen.notices.word_templates import WordKind, find_template, reset_template, set_template

    with open_product(ctx) as app:
        if out is not None:
            _write_out(out, find_template(app, WordKind(kind))[0])
        elif file is None:
            reset_template(command_acting(app), WordKind(kind))
        else:
            set_template(command_acting(app), WordKind(kind), read_file(file))


@notices.command()
@click.argument("id")
@click.option(
    "--out", "-o", type=NewFile(), help="File to write (.txt or .csv). Default: a .txt in the current folder."
)
@click.pass_context
def addresses(ctx: click.Context, id: str, out: Path | None) -> None:
    """Write the addresses of a notice for the form of its platform: one a line as .txt, or as a table in .csv."""
    from wenhen.reports.notice_files import AddressFile, write_addresses

    form = AddressFile.CSV if out is not None and out.suffix.lower() == ".csv" else AddressFile.TXT
    with open_product(ctx) as app:
        name, content = write_addresses(app, id, form)
    _write_out(out or Path(name), content)


@notices.command()
@click.argument("id")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--word", "words", multiple=True, type=StateWord(), help="Meaning of a state, as in 已封禁=removed.")
@click.option("--move/--no-move", default=True, help="Also change the status of the cases.")
@json_option
@click.pass_context
def states(ctx: click.Context, id: str, file: Path, words: tuple[tuple[str, str], ...], move: bool) -> None:
    """Read what the platform did about each address of a notice from FILE (CSV or text). The exit status is 1 if rows
    were refused.
    """
    from wenhen.notices.replies import read_address_states

    with open_product(ctx) as app:
        known = {word: AnswerKind(kind) for word, kind in words}
        result = read_address_states(command_acting(app), id, read_file(file), words=known, move=move)
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
@click.pass_context
def remove(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Delete notices that were not sent."""
    with open_product(ctx) as app:
        for id in ids:
            remove_notice(command_acting(app), id)


@notices.command()
@json_option
@click.pass_context
def platforms(ctx: click.Context) -> None:
    """List the platforms that receive notices, with their requirements."""
    from wenhen.notices.platforms import all_platforms

    with open_product(ctx) as app:
        known = all_platforms(app)
    rows = ((x.id, x.name, x.law, x.links, x.days, x.entry or x.mail, x.checked_at) for x in known)
    heads = ("编号 id", "名称 name", "依据 law", "链接 links", "天 days", "入口 form", "核对 checked")
    print_records(known, heads, rows)


def _write_out(out: Path, content: bytes) -> None:
    with report_write_errors(out):
        out.write_bytes(content)
    click.echo(str(out))
