"""Comment on cases, and notify the people whom a comment mentions."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from rapidfuzz.distance import Levenshtein

from wenhen.accounts.model import User
from wenhen.alerts.model import NO_LETTER, Alert, AlertEvent, AlertRule
from wenhen.alerts.notifications import is_rule_active, rule_channel
from wenhen.cases.comments_and_amounts import add_comment, correct_comment
from wenhen.cases.model import Case, Comment
from wenhen.context.use_cases import Acting, Product
from wenhen.kit.errors import Message

MENTION_RULE: Final = "mention"  # stands for a rule if the mentioned user has none for mentions


@dataclass(frozen=True, slots=True)
class UntoldMention:
    """An ``@name`` in a comment by which nobody was notified. near: names that may be meant."""

    name: str
    near: tuple[str, ...] = ()

    @property
    def said(self) -> Message:
        """Return what was not done, in words."""
        if self.near:
            return Message(
                "alerts.mention_near", {"name": self.name, "near": ", ".join(f"@{name}" for name in self.near)}
            )
        return Message("alerts.mention_unknown", {"name": self.name})


@dataclass(frozen=True, slots=True)
class CommentOutcome:
    """A comment that was written, and the names in it that notified nobody."""

    comment: Comment
    untold: tuple[UntoldMention, ...]


def comment_on_case(acting: Acting, number: int, text: str) -> CommentOutcome:
    """Comment on a case and notify users mentioned as ``@name``. Raises `BadInput`, `NotFound`, `Forbidden`."""
    return _tell_mentioned(acting, add_comment(acting, number, text))


def correct_own_comment(acting: Acting, number: int, id: str, text: str) -> CommentOutcome:
    """Correct a comment, and notify users whom only the new text mentions. Raises as `correct_comment`."""
    return _tell_mentioned(acting, correct_comment(acting, number, id, text))


def _tell_mentioned(acting: Acting, comment: Comment) -> CommentOutcome:
    """Notify the users whom a comment mentions. Who was told of it is not told again."""
    people = [user.name for user in _people(acting)]
    named = mentioned_people(comment.text, people, but=acting.who)
    if named:
        store = acting.product.store
        case = store.cases.get(str(comment.case_number))
        rules = store.alerts.rules()
        store.alerts.offer(
            [alert for name in named for alert in _alerts_for(acting.product, name, rules, case, comment)]
        )
    return CommentOutcome(comment, tuple(untold_mentions(comment.text, [*people, acting.who])))


def mention_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for ``@`` with one of these names, ignoring case. Longer names take precedence.

    Chinese goes on behind a name without a space. A name in Latin letters ends where they do.
    """
    marks = [
        re.escape(name) + (r"(?![a-z0-9])" if name[-1].isascii() else "")
        for name in sorted(names, key=len, reverse=True)
    ]
    return re.compile(f"@({'|'.join(marks)})" if marks else r"(?!)", re.IGNORECASE)


def mentioned_people(text: str, names: Iterable[str], *, but: str) -> list[str]:
    """Return the names after an ``@`` in the text, ignoring case, each once.

    >>> mentioned_people("@沈 Yan 请看，@沈也看，@沈 Yannick", ["沈", "沈 Yan", "陆"], but="陆")
    ['沈 Yan', '沈']
    """
    by_folded_name = {name.casefold(): name for name in names}
    found = (match[1].casefold() for match in mention_pattern(by_folded_name.values()).finditer(text))
    mentioned = dict.fromkeys(by_folded_name[name] for name in found if name in by_folded_name)
    return [name for name in mentioned if name != but]


# Neither an address of mail nor one of the web mentions anybody.
_UNKNOWN_MENTION: Final = re.compile(r"(?<![\w./+:-])@([\w·][\w·.-]*)")
_MAX_NAMED_CHARACTERS: Final = 12  # shown of a name that runs on into its sentence
_MAX_NEAR_NAMES: Final = 3
_LEAST_LIKENESS: Final = 0.5  # one of two characters


def untold_mentions(text: str, names: Sequence[str]) -> list[UntoldMention]:
    """Return each ``@name`` that is none of these names, with names that are like its beginning.

    >>> untold_mentions("@沈岩请看，@wang 也看，写给 a@b.test", ["沈岩", "沈燕", "Wang Li"])
    [UntoldMention(name='wang', near=('Wang Li',))]
    >>> untold_mentions("@沈严请看，@nobody", ["沈岩", "沈燕", "陆"])
    [UntoldMention(name='沈严请看', near=('沈岩', '沈燕')), UntoldMention(name='nobody', near=())]
    """
    left = mention_pattern(names).sub(" ", text)
    unknown = dict.fromkeys(match[1].rstrip(".-") for match in _UNKNOWN_MENTION.finditer(left))
    return [UntoldMention(name[:_MAX_NAMED_CHARACTERS], _near_names(name, names)) for name in unknown]


def _near_names(given: str, names: Iterable[str]) -> tuple[str, ...]:
    likeness = {name: _likeness(given.casefold(), name.casefold()) for name in names}
    near = [name for name in likeness if likeness[name] >= _LEAST_LIKENESS]
    return tuple(sorted(near, key=lambda name: (-likeness[name], name))[:_MAX_NEAR_NAMES])


def _likeness(given: str, name: str) -> float:
    """Return how like a name the beginning of a word is, or the whole word the beginning of a name."""
    if name.startswith(given):
        return 1.0
    lengths = range(max(1, len(name) - 1), len(name) + 2)
    return max(Levenshtein.normalized_similarity(given[:length], name) for length in lengths)


def _people(acting: Acting) -> Iterable[User]:
    return (user for user in acting.product.store.users.all() if user.disabled_at is None and not user.holders)


def _alerts_for(product: Product, name: str, rules: Iterable[AlertRule], case: Case, comment: Comment) -> list[Alert]:
    """Return an alert for each matching rule, so that it is also sent, or else one notification."""
    held = [rule for rule in rules if rule.user == name]
    asking = [rule for rule in held if AlertEvent.MENTIONED in rule.events and is_rule_active(product, rule)]
    if not asking and any(rule.own for rule in held):  # the person wants to know of no mention
        return []
    chosen = [rule for rule in asking if not rule.own] or asking
    letters = {rule.id: NO_LETTER if rule.own and rule_channel(product, rule) is None else None for rule in chosen}
    return [
        Alert(
            id=sha256(f"{rule} {name} {comment.id}".encode("utf-8", "replace")).hexdigest()[:24],
            rule_id=rule,
            user=name,
            event=AlertEvent.MENTIONED,
            case_number=case.number,
            work_title=case.work_title,
            page_host=case.page_host,
            at=comment.at,
            letter=letter,
        )
        for rule, letter in (letters or {MENTION_RULE: NO_LETTER}).items()
    ]
