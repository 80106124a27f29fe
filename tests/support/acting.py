"""Who acts in tests of use cases."""

from collections.abc import Collection

from services.acting import Acting
from services.context import Product
from store.rules.role_rights import Right


def by(product: Product, who: str = "陆", rights: Collection[Right] = tuple(Right)) -> Acting:
    """Somebody of this name, who may do everything unless told otherwise."""
    return Acting(product, who, frozenset(rights))
