"""Who acts in tests of use cases."""

from services.acting import Acting
from services.context import Product
from services.people.rights import Right


def acting(product: Product, *rights: Right, who: str = "陆") -> Acting:
    """Somebody with these rights, or with all where none is named."""
    return Acting(product, who, frozenset(rights or Right))
