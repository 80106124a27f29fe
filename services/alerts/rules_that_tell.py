"""Which rules still tell: those of people who may still sign in, and take out what is sent."""

from services.context import Product
from store.errors import NotFound
from store.records import AlertRule
from store.rules.role_rights import RIGHTS, Right


def stands(product: Product, rule: AlertRule) -> bool:
    """Whether a rule is to be followed: it is not paused, and its owner has neither left nor lost the right to it."""
    if rule.paused_at is not None:
        return False
    if rule.user_id is None:
        return True
    try:
        user = product.store.users.get(rule.user_id)
    except NotFound:
        return False
    return user.disabled_at is None and (rule.channel is None or Right.EXPORT in RIGHTS[user.role])
