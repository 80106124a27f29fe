"""The mails that came are fetched, each once, and kept with what they belong to."""

from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final

from crawler.isolated.read_in_child import read
from pipeline.setting_sections import NoticeSettings
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.notices.replies.mail_to_reply import BOUNDS, ReadMail
from services.notices.replies.mailbox import Mail, Mailbox, opened
from services.notices.replies.which_notice import answered, as_answer, failed, place_of, reported
from services.upkeep import mailbox_watch
from store.errors import BadInput, Unavailable, Unreadable, WenhenError
from store.records import Reply
from store.rules.china_time import day_of
from store.rules.role_rights import Right

OWN_NAME: Final = "wenhen"  # who keeps what comes by itself
_FIRST: Final = timedelta(days=60)  # how far the first look goes back
_AT_ONCE: Final = 200  # mails of one look


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came. assigned: to a notice; waiting: to none; left: not looked at yet."""

    assigned: int = 0
    waiting: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True)
class _Folder:
    """Up to which number the mails of a folder were taken, and for how long its numbers hold."""

    product: Product
    name: str
    mailbox: Mailbox

    def new(self) -> list[int]:
        """What was not looked at yet; where the folder is numbered anew, all that came lately."""
        mark = self.product.store.marks.get(self.name) or {}
        if mark.get("validity") == self.mailbox.validity:
            return self.mailbox.after(int(str(mark["uid"])), None)
        return self.mailbox.after(0, day_of(self.product.now() - _FIRST))

    def remember(self, uid: int) -> None:
        """All up to this one were."""
        self.product.store.marks.set(self.name, {"validity": self.mailbox.validity, "uid": uid})


def is_set(settings: NoticeSettings) -> bool:
    """Whether there is a mailbox to look into."""
    return bool(settings.imap and settings.imap_user)


def fetch_due(product: Product) -> None:
    """Fetch by itself; the health screen tells where that fails, as nobody looks on."""
    if not is_set(product.settings.notice):
        return
    try:
        fetch(Acting(product, OWN_NAME, frozenset({Right.PROCEED})))
    except WenhenError as error:
        mailbox_watch.note_failed(product, error.message)
        raise
    mailbox_watch.note_read(product)


@audited("notice.fetch")
def fetch(acting: Acting) -> Changed[Fetched]:
    """Take what came since the last time, at most 200 mails. None of it moves a case: a person reads it.

    Raises `BadInput` where no mailbox is set, `Unavailable` where it cannot be read, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    product, settings = acting.product, acting.product.settings.notice
    if not is_set(settings):
        raise BadInput("replies.no_server")
    came: list[tuple[Reply, list[Line]]] = []
    left = 0
    try:
        with opened(settings) as mailbox:
            folder = _Folder(product, f"replies:{settings.imap_user}@{settings.imap}/{settings.imap_folder}", mailbox)
            uids = folder.new()
            left = len(uids)
            for uid in uids[:_AT_ONCE]:
                mail = mailbox.take(uid)
                if mail and not product.store.replies.known(digest := sha256(mail.content).hexdigest()):
                    came.append(_kept(product, mail, digest))
                folder.remember(uid)
                left -= 1
    except Unavailable:
        if not came:  # else what came is written down, and the rest comes the next time
            raise
    assigned = sum(reply.notice is not None for reply, _ in came)
    found = Fetched(assigned=assigned, waiting=len(came) - assigned, left=left)
    lines = [line for _, written in came for line in written]
    lines += [Line("mailbox:notices", new={"assigned": found.assigned, "waiting": found.waiting})] if came else []
    return changed(found, *lines)


def _kept(product: Product, mail: Mail, digest: str) -> tuple[Reply, list[Line]]:
    """Its bytes first, then where it belongs, then that it was taken: whatever ends this goes on here again."""
    product.store.blobs.put(mail.content)
    said = _read(mail)
    place = place_of(product, said)
    now = product.now()
    reply = Reply(
        id=digest,
        at=mail.at,
        fetched_at=now,
        sent_at=said.sent_at,
        sender=said.sender,
        subject=said.subject,
        text=said.text,
        size=mail.size,
        whole=mail.whole,
        automatic=said.automatic,
        attachments=said.attachments,
        is_report=bool(said.told),
        failed=failed(said.told),
        notice=place.notice.id if place else None,
        assigned_at=now if place else None,
    )
    if place is None:
        lines = [Line(f"reply:{digest[:12]}", new={"from": reply.sender, "sha256": digest}, action="reply.keep")]
    elif said.told:
        lines = list(filter(None, (reported(product, place, mail, digest, told) for told in said.told)))
    else:
        lines = list(filter(None, [answered(product, place.notice.id, as_answer(reply, place.by, OWN_NAME))]))
    product.store.replies.put(reply)
    return reply, lines


def _read(mail: Mail) -> ReadMail:
    """A mail that cannot be read waits for a person, with nothing but its bytes."""
    try:
        found: ReadMail = read("services.notices.replies.mail_to_reply:read_mail", mail.content, bounds=BOUNDS)
    except Unreadable as error:
        return ReadMail(
            sender="", subject="", sent_at=None, text=str(error), refers=(), attachments=(), automatic=False, told=()
        )
    return found
