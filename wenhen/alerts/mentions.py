"""Notify users who are mentioned in a comment."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from wenhen.accounts.model import User
from wenhen.alerts.model import Alert, AlertEvent, AlertRule
from wenhen.alerts.notifications import is_rule_active
from wenhen.cases.model import Case, Comment
from wenhen.cases.service import add_comment
from wenhen.product.context import Product
from wenhen.product.use_cases import Acting

MENTION_RULE: Final = "mention"  # stands for a rule if the mentioned user has none for mentions


def comment_on_case(acting: Acting, number: int, text: str) -> Comment:
    """Comment on a case and notify users mentioned as ``@name``. Raises `BadInput`, `NotFound`, `Forbidden`."""
    comment = add_comment(acting, number, text)
    named = mentioned_people(comment.text, (user.name for user in _people(acting)), but=acting.who)
    if named:
        store = acting.product.store
        case = store.cases.get(str(number))
        rules = [rule for rule in store.alerts.rules() if AlertEvent.MENTIONED in rule.events]
        store.alerts.offer(
            [alert for name in named for alert in _alerts_for(acting.product, name, rules, case, comment)]
        )
    return comment


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
    return (user for user in acting.product.store.users.all() if user.disabled_at is None)


def _alerts_for(product: Product, name: str, rules: Iterable[AlertRule], case: Case, comment: Comment) -> list[Alert]:
    """Return an alert for each matching rule, so that it is also sent, or else one notification."""
    asking = [rule.id for rule in rules if rule.user == name and is_rule_active(product, rule)]
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
        )
        for rule in asking or [MENTION_RULE]
    ]
