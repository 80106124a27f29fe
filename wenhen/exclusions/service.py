"""Exclude passages, sources or blocks of text from cases, withdraw exclusions, and recompute the figures of cases."""

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from fingerprinter.alphabet import Initials
from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.apply_exclusions import (
    MIN_EXCLUDED_INITIALS,
    TextWithInitials,
    exclude_all,
    exclude_text,
    find_excluded,
)
from matcher.model import Level, Match, Passage
from wenhen.cases.calibration import current_calibration
from wenhen.cases.decisions import MAX_NOTE_CHARACTERS
from wenhen.cases.model import Case, CaseConditions, CaseDecision, CaseStatus
from wenhen.cases.opening_rule import is_remainder_accusing
from wenhen.cases.rules import WAKE_ACTOR
from wenhen.context.use_cases import (
    Acting,
    AuditLine,
    ChangeResult,
    Context,
    Product,
    audited,
    change_result,
    format_change,
)
from wenhen.exclusions.model import Excluded, Exclusion, ExclusionScope, case_places, covered_places, exclusion_id
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.errors import BadInput, Conflict, NotFound
from wenhen.kit.rights import Right

if TYPE_CHECKING:
    from wenhen.kit.mongo.blobs import Blobs

_CASE_BATCH_SIZE = 500
_MAX_CACHED_TEXTS = 8  # texts in memory; cases of one work are adjacent


class RemainingMatch(NamedTuple):
    """A match after exclusions.

    found: the match before exclusions; None if nothing was excluded. opens: whether the rest still opens a case.
    """

    match: Match
    found: Match | None
    opens: bool


def subtract_exclusions(
    context: Context, match: Match, exclusions: Collection[Exclusion], page: TextWithInitials, work: TextWithInitials
) -> RemainingMatch:
    """Apply exclusions to a match. Those of other works, or without text in it, have no effect."""
    if any(exclusion.what is Excluded.SOURCE and exclusion.work_id == match.work_id for exclusion in exclusions):
        return RemainingMatch(exclude_all(match, current_calibration(context)), match, False)
    if match.level is Level.SUSPECTED:  # it has no letters to exclude
        return RemainingMatch(match, None, True)
    blocks = [exclusion.letters for exclusion in exclusions if exclusion.letters]
    left = exclude_text(match, blocks, page, work, current_calibration(context)) if blocks else match
    if left is match:
        return RemainingMatch(match, None, True)
    rules, work_record = context.settings.matcher, context.store.works.many([match.work_id]).get(match.work_id)
    shortest = (work_record and work_record.shortest_passage) or rules.shortest_passage
    return RemainingMatch(left, match, is_remainder_accusing(left, rules.open_score, shortest))


def find_covering_exclusions(context: Context, case_id: str, work_id: str, host: str) -> list[Exclusion]:
    """Return the exclusions that cover a case, which need not be open."""
    return context.store.exclusions.find_covering(case_places(case_id, work_id, host))


def recompute_cases(context: Context, cases: Iterable[Case]) -> int:
    """Recompute the figures of these cases by the current exclusions. Return how many changed."""

    @lru_cache(_MAX_CACHED_TEXTS)
    def read(digest: str) -> TextReading:
        return TextReading(context.store.blobs.get_text(digest))

    return sum(_recompute_case(context, case, read) for case in cases)


def recompute_new_cases(context: Context, cases: Sequence[Case]) -> int:
    """Recompute the figures of cases that were just stored.

    Users may have added or withdrawn exclusions since they were loaded, and the recomputation for those did not see
    these cases.
    """
    where = {case.id: case_places(case.id, case.work_id, case.page_host) for case in cases}
    covered = {
        place
        for exclusion in (context.store.exclusions.find_covering(set().union(*where.values())) if cases else ())
        for place in exclusion.covers
    }
    return recompute_cases(
        context, [case for case in cases if case.found is not None or not covered.isdisjoint(where[case.id])]
    )


def iterate_cases(context: Context, where: CaseConditions, most: int) -> Iterator[Case]:
    """Yield the cases that match, the newest first."""
    conditions: CaseConditions = {**where}
    while most > 0 and (cases := context.store.cases.find(**conditions, limit=min(_CASE_BATCH_SIZE, most))):
        yield from cases
        conditions["below"], most = cases[-1].number, most - len(cases)


def _recompute_case(context: Context, case: Case, read: Callable[[str], TextReading]) -> bool:
    full_match = case.found or case.match
    exclusions = find_covering_exclusions(context, case.id, case.work_id, case.page_host)
    try:
        page, work = read(case.page_text_digest), read(case.work_text_digest)
    except NotFound:  # the store has lost a text: nothing can be found in it
        page = work = TextReading("")
    left = subtract_exclusions(context, full_match, exclusions, page, work)
    _dismiss_or_reopen(context, case, left, exclusions)
    if (left.match, left.found) == (case.match, case.found):
        return False
    return context.store.cases.set_match(case, left.match, left.found, context.now())


def _dismiss_or_reopen(context: Context, case: Case, left: RemainingMatch, exclusions: Sequence[Exclusion]) -> None:
    """Dismiss a lead of which nothing is left, for the reason of its last exclusion. Reopen it when something is.

    A case that a user has decided on stays as it is.
    """
    is_empty = left.found is not None and not left.match.passages
    reason: str | None = None
    if is_empty and case.status is CaseStatus.LEAD and exclusions:
        status, reason = CaseStatus.DISMISSED, max(exclusions, key=lambda exclusion: exclusion.at).why
    elif not is_empty and case.status is CaseStatus.DISMISSED and case.decided_by == WAKE_ACTOR:
        status = CaseStatus.LEAD
    else:
        return
    decision = CaseDecision(status=status, by=WAKE_ACTOR, at=context.now(), reason=reason)
    moved = context.store.cases.decide_many(
        [case.number], decision, only_from=[case.status], batch=secrets.token_hex(8)
    )
    for number in moved:  # no user acts on this case, so that no use case writes the line
        new = {"status": status.value} | ({"reason": reason} if reason else {})
        values = format_change({"status": case.status.value}, new)
        context.store.audit.add_all(context.now(), WAKE_ACTOR, "case.decide", [(f"case:{number}", *values)])


MAX_RECOMPUTED_CASES: Final = (
    2_000  # cases whose figures are recomputed at once; others follow when their pages are matched again
)
MAX_TEXT_LETTERS: Final = 200_000  # letters of a text
MAX_SHOWN_CHARACTERS: Final = 200  # characters of a text for display
MAX_SEARCHED_EXCLUSIONS: Final = 300  # latest exclusions that are searched for proposals
MAX_PROPOSED_EXCLUSIONS: Final = 5  # proposals per case


@dataclass(frozen=True, slots=True)
class Followed:
    """An exclusion, and the number of cases whose figures changed."""

    exclusion: Exclusion
    cases: int


class ExcludedText(NamedTuple):
    """The content of an exclusion. letters: empty for a source. text: for display."""

    what: Excluded
    letters: bytes
    text: str
    why: str


def find_case_exclusions(product: Product, case: Case) -> list[Exclusion]:
    """Return the exclusions of a case, the oldest first."""
    return find_covering_exclusions(product, case.id, case.work_id, case.page_host)


def may_exclude(acting: Acting, scope: ExclusionScope) -> bool:
    """Return whether a user may exclude: for one case DECIDE; for a whole work or site, which nobody has seen, also
    PROCEED.
    """
    return acting.may(Right.DECIDE) and (scope is ExclusionScope.CASE or acting.may(Right.PROCEED))


@audited("case.exclude")
def exclude_from_cases(
    acting: Acting,
    number: int,
    what: Excluded,
    *,
    why: str,
    scope: ExclusionScope = ExclusionScope.CASE,
    stretch: tuple[int, int] | None = None,
    text: str | None = None,
) -> ChangeResult[Followed]:
    """Exclude something from a case, or from all cases of its work or site.

    stretch: of a passage, start and end in code points of the page's text. text: of a block; it must be in the page or
    the work. Raises `BadInput` for a missing reason, a text that is too short, too long or missing, a range outside the
    page, or a source with the scope of its work or everywhere; `Conflict` if it is excluded already; `NotFound`;
    `Forbidden`.
    """
    _require_right(acting, scope)
    store, why = acting.product.store, why.strip()[:MAX_NOTE_CHARACTERS]
    if not why:
        raise BadInput("cases.exclusion_why")
    if what is Excluded.SOURCE and scope in (ExclusionScope.WORK, ExclusionScope.EVERYWHERE):
        raise BadInput("cases.exclusion_of_work")
    case = store.cases.get(str(number))
    letters, words = _resolve_text(store.blobs, case, what, scope, stretch, text)
    return _store_exclusion(acting, case, ExcludedText(what, letters, words[:MAX_SHOWN_CHARACTERS], why), scope)


@audited("case.exclude_alike")
def reuse_exclusion(acting: Acting, number: int, id: str, *, scope: ExclusionScope) -> ChangeResult[Followed]:
    """Exclude from a case, its work, its site, or everywhere, what was excluded from another case, for the same reason.

    Raises `NotFound`, `BadInput` for a source, `Conflict` if it is excluded already, `Forbidden`.
    """
    _require_right(acting, scope)
    store = acting.product.store
    pattern = store.exclusions.get(id)
    if pattern.what is Excluded.SOURCE:
        raise BadInput("cases.exclusion_of_work")
    return _store_exclusion(
        acting,
        store.cases.get(str(number)),
        ExcludedText(pattern.what, pattern.letters, pattern.text, pattern.why),
        scope,
    )


def propose_exclusions(product: Product, case: Case) -> list[Exclusion]:
    """Return exclusions of other cases whose text is in the copied text of this one, the latest first, one per text.

    The result is empty if the store has lost the text of the page.
    """
    held = {exclusion.letters for exclusion in find_case_exclusions(product, case)}
    known = {
        exclusion.letters: exclusion
        for exclusion in reversed(product.store.exclusions.latest(MAX_SEARCHED_EXCLUSIONS))
        if exclusion.letters
    }
    if not known.keys() - held:
        return []
    try:
        page = to_initials(product.store.blobs.get_text(case.page_text_digest))
    except NotFound:
        return []
    alike = [
        exclusion for letters, exclusion in known.items() if letters not in held and _is_copied(case, letters, page)
    ]
    return sorted(alike, key=lambda exclusion: exclusion.at, reverse=True)[:MAX_PROPOSED_EXCLUSIONS]


def _resolve_text(
    blobs: "Blobs", case: Case, what: Excluded, scope: ExclusionScope, stretch: tuple[int, int] | None, text: str | None
) -> tuple[bytes, str]:
    """Return the letters and the text of an exclusion; both empty for a source."""
    if what is Excluded.SOURCE:
        return b"", ""
    return _block_letters(blobs, case, text or "") if stretch is None else _stretch_letters(blobs, case, stretch, scope)


@audited("case.include")
def withdraw_exclusion(acting: Acting, id: str) -> ChangeResult[Followed]:
    """Withdraw an exclusion. Raises NotFound, Forbidden."""
    store = acting.product.store
    exclusion = store.exclusions.get(id)
    _require_right(acting, exclusion.scope)
    store.exclusions.remove(id)
    followed = recompute_cases(acting.product, _find_covered_cases(acting.product, exclusion))
    line = AuditLine(f"case:{exclusion.case_number}", old=_audit_values(exclusion))
    return change_result(Followed(exclusion, followed), line)


def _store_exclusion(
    acting: Acting, case: Case, excluded: ExcludedText, scope: ExclusionScope
) -> ChangeResult[Followed]:
    product, number = acting.product, case.number
    covered = covered_places(scope, case.id, case.work_id, _site_hosts(product, case))
    exclusion = Exclusion(
        id=exclusion_id(excluded.what, covered, case.work_id, excluded.letters),
        what=excluded.what,
        scope=scope,
        covers=covered,
        case_number=number,
        work_id=case.work_id,
        letters=excluded.letters,
        text=excluded.text,
        why=excluded.why,
        by=acting.who,
        at=product.now(),
    )
    try:
        product.store.exclusions.add(exclusion)
    except Conflict as error:
        raise Conflict("cases.excluded_already", number=number) from error
    followed = recompute_cases(product, _find_covered_cases(product, exclusion))
    return change_result(Followed(exclusion, followed), AuditLine(f"case:{number}", new=_audit_values(exclusion)))


def _is_copied(case: Case, letters: bytes, page: Initials) -> bool:
    """Return whether the page contains the text in a copied passage."""
    return any(
        start < passage.page_end and passage.page_start < end
        for start, end in find_excluded(letters, page)
        for passage in case.match.passages
    )


def _require_right(acting: Acting, scope: ExclusionScope) -> None:
    acting.require(Right.DECIDE)
    if not may_exclude(acting, scope):
        acting.require(Right.PROCEED)


def _block_letters(blobs: "Blobs", case: Case, text: str) -> tuple[bytes, str]:
    """Return the letters of a given text. Raises BadInput if it is not in the case."""
    letters = _require_max_letters(to_initials(text).codes.tobytes())
    written = (blobs.get_text(digest) for digest in (case.page_text_digest, case.work_text_digest))
    if not any(find_excluded(letters, to_initials(text)) for text in written):
        raise BadInput("cases.exclusion_nowhere", number=case.number)
    return letters, text.strip()


def _stretch_letters(blobs: "Blobs", case: Case, stretch: tuple[int, int], scope: ExclusionScope) -> tuple[bytes, str]:
    """Return the letters of a range of the page.

    For all cases of the work, the letters of the work are used if the range is a passage, because other pages share
    them even if this page has changes.
    """
    text, (start, end) = blobs.get_text(case.page_text_digest), stretch
    if not 0 <= start < end <= len(text):
        raise BadInput("cases.exclusion_stretch", start=start, end=end, length=len(text))
    passage = _find_passage(case, stretch)
    if scope is ExclusionScope.WORK and passage is not None:
        text, start, end = blobs.get_text(case.work_text_digest), passage.work_start, passage.work_end
    letters = to_initials(text)  # of the whole text: the context of a character determines its reading
    inside = (letters.starts >= start) & (letters.ends <= end)
    return _require_max_letters(letters.codes[inside].tobytes()), text[start:end]


def _find_passage(case: Case, stretch: tuple[int, int]) -> Passage | None:
    return next((passage for passage in case.match.passages if (passage.page_start, passage.page_end) == stretch), None)


def _require_max_letters(letters: bytes) -> bytes:
    if not MIN_EXCLUDED_INITIALS <= len(letters) <= MAX_TEXT_LETTERS:
        raise BadInput("cases.exclusion_length", least=MIN_EXCLUDED_INITIALS, most=MAX_TEXT_LETTERS, given=len(letters))
    return letters


def _site_hosts(product: Product, case: Case) -> tuple[str, ...]:
    """Return all hosts of the watched site of the page, or its own host if no site is watched."""
    watched = next((site for site in product.store.sites.all() if case.page_host in site.hosts), None)
    return watched.hosts if watched else (case.page_host,)


def _find_covered_cases(product: Product, exclusion: Exclusion) -> list[Case]:
    """Return the cases that an exclusion covers, the one that it was made on first."""
    here = product.store.cases.get(str(exclusion.case_number))
    if exclusion.scope is ExclusionScope.CASE:
        return [here]
    hosts = [place.removeprefix("site:") for place in exclusion.covers]
    work_only = exclusion.scope is ExclusionScope.WORK or exclusion.what is Excluded.SOURCE
    where: CaseConditions = {
        "work_id": exclusion.work_id if work_only else None,
        "hosts": hosts if exclusion.scope is ExclusionScope.SITE else None,
    }
    return [here, *(case for case in iterate_cases(product, where, MAX_RECOMPUTED_CASES) if case.id != here.id)]


def _audit_values(exclusion: Exclusion) -> dict[str, str]:
    values = {
        "what": exclusion.what.value,
        "scope": exclusion.scope.value,
        "text": exclusion.text,
        "why": exclusion.why,
    }
    return {name: value for name, value in values.items() if value}
