"""Who acts: handed to every use case that changes something, to be asked for rights and to be written down."""

from dataclasses import dataclass

from services.context import Product
from store.errors import Forbidden
from store.records import ActingToken
from store.rules.role_rights import Right


@dataclass(frozen=True, slots=True)
class Acting:
    """A person, a program or a command at work on the product.

    who: as the audit log names them; rights: what they may do. user_id: of the user, None for a command and where
    nobody is asked to sign in. token: through which they act, None for a browser and a command.
    """

    product: Product
    who: str
    rights: frozenset[Right]
    user_id: str | None = None
    token: ActingToken | None = None

    def may(self, right: Right) -> bool:
        """Whether they have the right."""
        return right in self.rights

    def require(self, right: Right) -> None:
        """Raise `Forbidden` unless they have the right."""
        if not self.may(right):
            raise Forbidden("people.may_not", right=right.value)
