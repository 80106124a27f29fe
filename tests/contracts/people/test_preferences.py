"""Everybody likes the screens in their own way."""

from wenhen.accounts.model import Preferences
from wenhen.context.store_and_queue import Store


def test_what_somebody_likes_is_kept_for_them_alone(store: Store) -> None:
    liked = Preferences(id="王", columns=("status",), preview=False, goes_on=True)
    store.preferences.put(Preferences(id="王"))
    store.preferences.put(liked)
    assert store.preferences.get("王") == liked
    assert store.preferences.get("李") == Preferences(id="李")
