"""Who acts in tests of use cases."""

from collections.abc import Collection

from wenhen.context.use_cases import Acting, Product
from wenhen.kit.rights import Right


def by(product: Product, who: str = "陆", rights: Collection[Right] = tuple(Right)) -> Acting:
    """Somebody of this name, who may do everything unless told otherwise."""
    return Acting(product, who, frozenset(rights))
