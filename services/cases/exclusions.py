"""What people leave out of cases: a passage, a source, a block of text; of one case, or of all of its work or site."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from fingerprinter.letters import Letters
from fingerprinter.normalize.read_letters import read_letters
from matcher.verdict.excluding import LEAST, stretches
from pipeline.matching.excluded_cases import cases_where, covering, figure_anew
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.cases.decisions import NOTE_LENGTH
from services.context import Product
from store.errors import BadInput, Conflict, NotFound
from store.ports import Blobs
from store.records import Case, CaseConditions, Excluded, Exclusion, ExclusionScope, Passage
from store.rules.cases.exclusion_covers import covers, exclusion_id
from store.rules.role_rights import Right

MOST: Final = 2_000  # cases whose figures follow at once; others follow when their pages are looked at again
LONGEST: Final = 200_000  # letters of a text
TOLD: Final = 200  # characters of a text that are shown
LOOKED_AT: Final = 300  # of the latest exclusions, for those that may be proposed
PROPOSED: Final = 5  # of one case


@dataclass(frozen=True, slots=True)
class Followed:
    """An exclusion, and in how many cases the figures followed."""

    exclusion: Exclusion
    cases: int


class LeftOutText(NamedTuple):
    """What is left out, and why. letters: none of a source; text: for people."""

    what: Excluded
    letters: bytes
    text: str
    why: str


def of_case(product: Product, case: Case) -> list[Exclusion]:
    """What is left out of a case, the oldest first."""
    return covering(product, case.id, case.work_id, case.page_host)


def may_exclude(acting: Acting, scope: ExclusionScope) -> bool:
    """Of one case, who decides on it; of all of a work or site, which nobody has looked at yet, who also proceeds."""
    return acting.may(Right.DECIDE) and (scope is ExclusionScope.CASE or acting.may(Right.PROCEED))


@audited("case.exclude")
def exclude(
    acting: Acting,
    number: int,
    what: Excluded,
    *,
    why: str,
    scope: ExclusionScope = ExclusionScope.CASE,
    stretch: tuple[int, int] | None = None,
    text: str | None = None,
) -> Changed[Followed]:
    """Leave something out of a case, or of all cases of its work or site.

    stretch: of a passage, code points of the page's text. text: of a block; it stands on the page or in the work.

    Raises `BadInput` for a reason that is missing, a text that is too short, too long or not there, a stretch that is
    not in the page, or a source that is left out of its own work; `Conflict` for what is left out already; `NotFound`;
    `Forbidden`.
    """
    _require(acting, scope)
    store, why = acting.product.store, why.strip()[:NOTE_LENGTH]
    if not why:
        raise BadInput("cases.exclusion_why")
    if what is Excluded.SOURCE and scope in (ExclusionScope.WORK, ExclusionScope.EVERYWHERE):
        raise BadInput("cases.exclusion_of_work")
    case = store.cases.get(str(number))
    letters, words = _matter(store.blobs, case, what, scope, stretch, text)
    return _left_out(acting, case, LeftOutText(what, letters, words[:TOLD], why), scope)


@audited("case.exclude_alike")
def exclude_alike(acting: Acting, number: int, id: str, *, scope: ExclusionScope) -> Changed[Followed]:
    """Leave out of a case, or of all of its work or site, or everywhere, what was left out of another for its reason.

    Raises `NotFound`, `BadInput` for what is no text, `Conflict` for what is left out already, `Forbidden`.
    """
    _require(acting, scope)
    store = acting.product.store
    like = store.exclusions.get(id)
    if like.what is Excluded.SOURCE:
        raise BadInput("cases.exclusion_of_work")
    return _left_out(
        acting, store.cases.get(str(number)), LeftOutText(like.what, like.letters, like.text, like.why), scope
    )


def proposed(product: Product, case: Case) -> list[Exclusion]:
    """What people left out of other cases and is among the copied text of this one, the latest first: one of each text.

    Nothing where the store has lost the text of the page.
    """
    held = {one.letters for one in of_case(product, case)}
    known = {one.letters: one for one in reversed(product.store.exclusions.latest(LOOKED_AT)) if one.letters}
    if not known.keys() - held:
        return []
    try:
        page = read_letters(product.store.blobs.get_text(case.page_text_digest))
    except NotFound:
        return []
    alike = [one for letters, one in known.items() if letters not in held and _copied(case, letters, page)]
    return sorted(alike, key=lambda one: one.at, reverse=True)[:PROPOSED]


def _matter(
    blobs: Blobs, case: Case, what: Excluded, scope: ExclusionScope, stretch: tuple[int, int] | None, text: str | None
) -> tuple[bytes, str]:
    """The letters and the words that are left out; none of a source, of which all is."""
    if what is Excluded.SOURCE:
        return b"", ""
    return _block(blobs, case, text or "") if stretch is None else _cut(blobs, case, stretch, scope)


@audited("case.include")
def include(acting: Acting, id: str) -> Changed[Followed]:
    """Take an exclusion back. NotFound, Forbidden."""
    store = acting.product.store
    exclusion = store.exclusions.get(id)
    _require(acting, exclusion.scope)
    store.exclusions.remove(id)
    followed = figure_anew(acting.product, _covered(acting.product, exclusion))
    line = Line(f"case:{exclusion.case_number}", old=_told(exclusion))
    return changed(Followed(exclusion, followed), line)


def _left_out(acting: Acting, case: Case, given: LeftOutText, scope: ExclusionScope) -> Changed[Followed]:
    product, number = acting.product, case.number
    covered = covers(scope, case.id, case.work_id, _hosts(product, case))
    exclusion = Exclusion(
        id=exclusion_id(given.what, covered, case.work_id, given.letters),
        what=given.what,
        scope=scope,
        covers=covered,
        case_number=number,
        work_id=case.work_id,
        letters=given.letters,
        text=given.text,
        why=given.why,
        by=acting.who,
        at=product.now(),
    )
    try:
        product.store.exclusions.add(exclusion)
    except Conflict as error:
        raise Conflict("cases.excluded_already", number=number) from error
    followed = figure_anew(product, _covered(product, exclusion))
    return changed(Followed(exclusion, followed), Line(f"case:{number}", new=_told(exclusion)))


def _copied(case: Case, letters: bytes, page: Letters) -> bool:
    """Whether a text stands where the page copies."""
    return any(
        start < one.page_end and one.page_start < end
        for start, end in stretches(letters, page)
        for one in case.match.passages
    )


def _require(acting: Acting, scope: ExclusionScope) -> None:
    acting.require(Right.DECIDE)
    if not may_exclude(acting, scope):
        acting.require(Right.PROCEED)


def _block(blobs: Blobs, case: Case, text: str) -> tuple[bytes, str]:
    """The letters of a text that somebody gave, which stands in the case."""
    letters = _bounded(read_letters(text).codes.tobytes())
    written = (blobs.get_text(digest) for digest in (case.page_text_digest, case.work_text_digest))
    if not any(stretches(letters, read_letters(one)) for one in written):
        raise BadInput("cases.exclusion_nowhere", number=case.number)
    return letters, text.strip()


def _cut(blobs: Blobs, case: Case, stretch: tuple[int, int], scope: ExclusionScope) -> tuple[bytes, str]:
    """The letters of a stretch of the page. For all cases of the work those of the work, where it is a passage: other
    pages have them, too, whatever this one changed.
    """
    text, (start, end) = blobs.get_text(case.page_text_digest), stretch
    if not 0 <= start < end <= len(text):
        raise BadInput("cases.exclusion_stretch", start=start, end=end, length=len(text))
    passage = _passage_at(case, stretch)
    if scope is ExclusionScope.WORK and passage is not None:
        text, start, end = blobs.get_text(case.work_text_digest), passage.work_start, passage.work_end
    letters = read_letters(text)  # of the whole text: what stands around a letter may say how it is read
    inside = (letters.starts >= start) & (letters.ends <= end)
    return _bounded(letters.codes[inside].tobytes()), text[start:end]


def _passage_at(case: Case, stretch: tuple[int, int]) -> Passage | None:
    return next((one for one in case.match.passages if (one.page_start, one.page_end) == stretch), None)


def _bounded(letters: bytes) -> bytes:
    if not LEAST <= len(letters) <= LONGEST:
        raise BadInput("cases.exclusion_length", least=LEAST, most=LONGEST, given=len(letters))
    return letters


def _hosts(product: Product, case: Case) -> tuple[str, ...]:
    """All hosts of the watched site that the page stands on; its own where nobody watches it."""
    watched = next((site for site in product.store.sites.all() if case.page_host in site.hosts), None)
    return watched.hosts if watched else (case.page_host,)


def _covered(product: Product, exclusion: Exclusion) -> list[Case]:
    """The cases that it covers, the one that it was made on first."""
    here = product.store.cases.get(str(exclusion.case_number))
    if exclusion.scope is ExclusionScope.CASE:
        return [here]
    hosts = [place.removeprefix("site:") for place in exclusion.covers]
    work_only = exclusion.scope is ExclusionScope.WORK or exclusion.what is Excluded.SOURCE
    where: CaseConditions = {
        "work_id": exclusion.work_id if work_only else None,
        "hosts": hosts if exclusion.scope is ExclusionScope.SITE else None,
    }
    return [here, *(one for one in cases_where(product, where, MOST) if one.id != here.id)]


def _told(exclusion: Exclusion) -> dict[str, str]:
    told = {"what": exclusion.what.value, "scope": exclusion.scope.value, "text": exclusion.text, "why": exclusion.why}
    return {name: value for name, value in told.items() if value}
