"""Comment on cases, and notify the people whom a comment mentions."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from wenhen.accounts.model import User
from wenhen.alerts.model import NO_LETTER, Alert, AlertEvent, AlertRule
from wenhen.alerts.notifications import is_rule_active, rule_channel
from wenhen.cases.comments_and_amounts import add_comment, correct_comment
from wenhen.cases.model import Case, Comment
from wenhen.context.use_cases import Acting, Product

MENTION_RULE: Final = "mention"  # stands for a rule if the mentioned user has none for mentions


def comment_on_case(acting: Acting, number: int, text: str) -> Comment:
    """Comment on a case and notify users mentioned as ``@name``. Raises `BadInput`, `NotFound`, `Forbidden`."""
    comment = add_comment(acting, number, text)
    _tell_mentioned(acting, comment)
    return comment


def correct_own_comment(acting: Acting, number: int, id: str, text: str) -> Comment:
    """Correct a comment, and notify users whom only the new text mentions. Raises as `correct_comment`."""
    comment = correct_comment(acting, number, id, text)
    _tell_mentioned(acting, comment)
    return comment


def _tell_mentioned(acting: Acting, comment: Comment) -> None:
    """Notify the users whom a comment mentions. Who was told of it is not told again."""
    named = mentioned_people(comment.text, (user.name for user in _people(acting)), but=acting.who)
    if named:
        store = acting.product.store
        case = store.cases.get(str(comment.case_number))
        rules = store.alerts.rules()
        store.alerts.offer(
            [alert for name in named for alert in _alerts_for(acting.product, name, rules, case, comment)]
        )


def mentioned_people(text: str, names: Iterable[str], *, but: str) -> list[str]:
    """Return the names after an ``@`` in the text, ignoring case. Longer names take precedence.

    >>> mentioned_people("@沈 Yan 请看，@沈也看", ["沈", "沈 Yan", "陆"], but="陆")
    ['沈 Yan', '沈']
    """
    left, mentioned = text.casefold(), []
    for name in sorted(names, key=len, reverse=True):
        mark = f"@{name.casefold()}"
        if mark in left:
            left = left.replace(mark, " ")
            if name != but:
                mentioned.append(name)
    return mentioned


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
