"""Write marked copies of a text, and trace a suspect's text to the copy that it stems from."""

import base64
import json
import secrets
import zlib
from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from fingerprinter.initials.to_initials import read_characters
from matcher.marking.choices import MarkKind
from matcher.marking.marks import MarkPlace, find_places, make_reference, read_marks, write_copy
from matcher.marking.tracing import NO_READING, SECRET_BYTES, make_codeword, needed_places, trace_copies
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.rights import Right
from wenhen.marks.model import MarkedCopy, MarkedText, MarkStatement, StatedCopy, TracedText, WrittenCopy
from wenhen.pages.service import find_page, page_text

MAX_CHARACTERS: Final = 2_000_000  # of a marked text; a record of MongoDB holds it
MAX_SUSPECT_CHARACTERS: Final = 2_000_000  # of a text that is traced
MAX_COPIES: Final = 10_000  # of a text
MAX_RECIPIENT_CHARACTERS: Final = 200
MAX_TITLE_CHARACTERS: Final = 300
_MIN_PLACES: Final = needed_places(2)  # a text with fewer tells no two copies apart


class _Sealed(NamedTuple):
    """What nobody may know: with the secret and the places, marks can be forged or removed."""

    secret: bytes
    text: str
    places: list[MarkPlace]


@audited("marks.make")
def mark_text(
    acting: Acting, title: str, text: str, recipients: Sequence[str], kinds: Collection[MarkKind] = frozenset(MarkKind)
) -> ChangeResult[list[WrittenCopy]]:
    """Return a marked copy of the text for each recipient. The same text and recipient give the same copy.

    Raises `BadInput` if there is no recipient, or if the text is too long or has too few places for marks.
    """
    acting.require(Right.WORKS)
    names = _check_recipients(recipients)
    stored, sealed = _store_text(acting, title, text, kinds)
    known = acting.product.store.marked_texts.copies(stored.id)
    if len({copy.recipient for copy in known} | set(names)) > MAX_COPIES:
        raise BadInput("marks.too_many_copies", most=MAX_COPIES)
    by_name = {copy.recipient: copy for copy in known}
    written = [_write_copy(acting, stored, sealed, name, by_name.get(name)) for name in names]
    new = [each.copy for each in written if each.copy.recipient not in by_name]
    acting.product.store.marked_texts.put_copies(new)
    lines = [AuditLine(marked_text_owner(stored.id), None, each.copy.recipient) for each in written]
    return change_result(written, *lines)


@audited("marks.read")
def trace_text(acting: Acting, suspect: str, text_id: str | None = None) -> ChangeResult[list[TracedText]]:
    """Trace a suspect's text. Return the marked texts of which it has places, best first. Nothing is stored.

    What was read stands in no case and in no exhibit, unless the holder allows it (`state_marks`).
    Raises `NotFound` for an unknown text, and if there are no marked texts. Raises `BadInput` for an empty text.
    """
    acting.require(Right.DETAILS)
    store = acting.product.store.marked_texts
    if not suspect.strip():
        raise BadInput("marks.nothing_to_read")
    if len(suspect) > MAX_SUSPECT_CHARACTERS:
        raise BadInput("marks.too_long", characters=len(suspect), most=MAX_SUSPECT_CHARACTERS)
    ids = [text_id] if text_id else [text.id for text in store.all()]
    if not ids:
        raise NotFound("marks.none")
    read = read_characters(suspect)
    traced = [_trace(acting.product, read, store.get(id)) for id in ids]
    found = sorted((each for each in traced if each.read), key=lambda each: (not each.named_copies, -each.read))
    lines = [
        AuditLine(marked_text_owner(each.text.id), None, ", ".join(copy.copy for copy in each.named_copies))
        for each in found
    ]
    return change_result(found, *lines)


# By default no exhibit and no report says anything of marks. The holder decides whether others learn of them, and a
# person writes down the holder's word.


MAX_WORD_CHARACTERS: Final = 500


@audited("marks.state")
def state_marks(acting: Acting, number: int, text_id: str, *, word: str) -> ChangeResult[MarkStatement]:
    """Let exhibits and reports of a case say from which marked copy its text stems, from now on.

    The text is traced anew. word: who of the rights holder allowed it, and when.

    Raises `NotFound`, `Forbidden`, and `BadInput` without a word, or if no copy is named.
    """
    for right in (Right.DETAILS, Right.EXPORT):
        acting.require(right)
    product = acting.product
    case = product.store.cases.get(str(number))
    if not word.strip():
        raise BadInput("marks.no_word")
    if len(word) > MAX_WORD_CHARACTERS:
        raise BadInput("marks.word_too_long", most=MAX_WORD_CHARACTERS)
    stored = product.store.marked_texts.get(text_id)
    traced = _trace(product, read_characters(product.store.blobs.get_text(case.page_text_digest)), stored)
    if not traced.named_copies:
        raise BadInput("marks.nobody_named", number=number)
    digests = {copy.recipient: copy.sha256 for copy in product.store.marked_texts.copies(text_id)}
    statement = MarkStatement(
        id=str(case.number),
        text_id=stored.id,
        title=stored.title,
        page_text_sha256=case.page_text_digest,
        read=traced.read,
        copies=tuple(
            StatedCopy(
                recipient=copy.copy,
                sha256=digests[copy.copy],
                agreeing=copy.agreeing,
                places=copy.places,
                chance=copy.chance,
            )
            for copy in traced.named_copies
        ),
        word=word.strip(),
        allowed_by=acting.who,
        allowed_at=product.now(),
    )
    product.store.marked_texts.put_statement(statement)
    named = ", ".join(copy.recipient for copy in statement.copies)
    return change_result(statement, AuditLine(f"case:{case.number}", new={"copies": named, "word": statement.word}))


@audited("marks.withdraw")
def withdraw_marks(acting: Acting, number: int) -> ChangeResult[None]:
    """Let later exhibits and reports of a case say nothing of marks. Those that were made stay as they are.

    Raises `NotFound`, `Forbidden`.
    """
    for right in (Right.DETAILS, Right.EXPORT):
        acting.require(right)
    case = acting.product.store.cases.get(str(number))
    if not acting.product.store.marked_texts.drop_statement(case.number):
        raise NotFound("marks.no_statement", number=number)
    return change_result(None, AuditLine(f"case:{case.number}"))


def find_statement(product: Product, number: int) -> MarkStatement | None:
    """Return what exhibits and reports of a case may say of marks, or None."""
    return product.store.marked_texts.statements([number]).get(number)


def load_suspect(product: Product, reference: str) -> str:
    """Return the text of a case (`#12` or `12`) or of a stored page (id or address). Raises `NotFound`."""
    number = reference.removeprefix("#")
    if number.isascii() and number.isdecimal():
        return product.store.blobs.get_text(product.store.cases.get(number).page_text_digest)
    return page_text(product, find_page(product, reference))


def list_copies(acting: Acting, text_id: str) -> list[MarkedCopy]:
    """Return the copies of a text by recipient. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.DETAILS)
    acting.product.store.marked_texts.get(text_id)
    return acting.product.store.marked_texts.copies(text_id)


def marked_text_owner(id: str) -> str:
    """Return the owner under which a marked text is sealed."""
    return f"marked_text:{id}"


def reseal_marked_text(product: Product, text: MarkedText) -> bool:
    """Encrypt a marked text under the current key. Return whether it changed."""
    sealed = product.store.marked_texts.get(text.id).sealed
    new = product.seal.reseal(sealed, marked_text_owner(text.id))
    return new != sealed and product.store.marked_texts.reseal(text.id, sealed, new)


def _check_recipients(recipients: Sequence[str]) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in recipients if name.strip()))
    if not names:
        raise BadInput("marks.no_recipient")
    if any(len(name) > MAX_RECIPIENT_CHARACTERS for name in names):
        raise BadInput("marks.recipient_too_long", most=MAX_RECIPIENT_CHARACTERS)
    return names


def _store_text(acting: Acting, title: str, text: str, kinds: Collection[MarkKind]) -> tuple[MarkedText, _Sealed]:
    """Return the stored text, with a new secret if it is new."""
    text = text.replace("\r\n", "\n")
    if len(text) > MAX_CHARACTERS:
        raise BadInput("marks.too_long", characters=len(text), most=MAX_CHARACTERS)
    places = find_places(text, kinds)
    if len(places) < _MIN_PLACES:
        raise BadInput("marks.too_few_places", places=len(places), least=_MIN_PLACES)
    product, chosen = acting.product, tuple(sorted(kind.value for kind in kinds))
    id = sha256("\n".join((*chosen, text)).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    record = MarkedText(
        id=id,
        title=title.strip()[:MAX_TITLE_CHARACTERS] or id,
        characters=len(text),
        places=len(places),
        kinds=chosen,
        sealed=product.seal.seal(
            _pack(_Sealed(secrets.token_bytes(SECRET_BYTES), text, places)), marked_text_owner(id)
        ),
        made_at=product.now(),
        made_by=acting.who,
    )
    stored = product.store.marked_texts.add(record)
    return stored, _open(product, stored)


def _write_copy(
    acting: Acting, stored: MarkedText, sealed: _Sealed, recipient: str, known: MarkedCopy | None
) -> WrittenCopy:
    code = make_codeword(sealed.secret, recipient, len(sealed.places))
    text = write_copy(sealed.text, sealed.places, code)
    copy = known or MarkedCopy(
        id=sha256(f"{stored.id}\n{recipient}".encode("utf-8", "surrogatepass")).hexdigest()[:16],
        text_id=stored.id,
        recipient=recipient,
        sha256=sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        made_at=acting.product.now(),
        made_by=acting.who,
    )
    return WrittenCopy(copy, text)


def _trace(product: Product, suspect: str, stored: MarkedText) -> TracedText:
    sealed = _open(product, stored)
    readings = read_marks(suspect, make_reference(sealed.text, sealed.places))
    copies = product.store.marked_texts.copies(stored.id)
    codewords = ((copy.recipient, make_codeword(sealed.secret, copy.recipient, stored.places)) for copy in copies)
    return TracedText(stored, int((readings != NO_READING).sum()), tuple(trace_copies(readings, codewords)))


def _pack(sealed: _Sealed) -> str:
    plain = {
        "secret": sealed.secret.hex(),
        "text": sealed.text,
        "places": [[place.start, place.end, *place.readings, place.kind.value] for place in sealed.places],
    }
    return base64.b64encode(zlib.compress(json.dumps(plain).encode())).decode()


def _open(product: Product, stored: MarkedText) -> _Sealed:
    """Return what is sealed. Raises `SetupError` if no key decrypts it."""
    packed = product.seal.open_sealed(stored.sealed, marked_text_owner(stored.id))
    plain = json.loads(zlib.decompress(base64.b64decode(packed)))
    places = [
        MarkPlace(start, end, (first, second), MarkKind(kind)) for start, end, first, second, kind in plain["places"]
    ]
    return _Sealed(bytes.fromhex(plain["secret"]), plain["text"], places)
