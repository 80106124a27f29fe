"""Who acts in tests of use cases."""

from collections.abc import Collection

from wenhen.kit.rights import Right
from wenhen.product.context import Acting, Product


def by(product: Product, who: str = "陆", rights: Collection[Right] = tuple(Right)) -> Acting:
    """Somebody of this name, who may do everything unless told otherwise."""
    return Acting(product, who, frozenset(rights))
