"""How somebody likes the screens. It changes nothing that others see: no audit lines."""

from services.acting import Acting
from store.records import Preferences


def preferences(acting: Acting) -> Preferences:
    """What this person chose."""
    return acting.product.store.preferences.get(acting.who)


def prefer(acting: Acting, chosen: Preferences) -> None:
    """Keep what this person chose."""
    acting.product.store.preferences.put(chosen)
