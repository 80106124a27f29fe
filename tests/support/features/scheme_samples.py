"""Real texts for the schemes: the works of the demo, and copies of them."""

from wenhen.demo.articles import load_works

LONG_ENOUGH = 600  # characters


def texts() -> list[str]:
    """The works of the demo that every scheme answers for, in the order of their titles."""
    return [draft.text for _, draft in sorted(load_works().items()) if len(draft.text) >= LONG_ENOUGH]


def edited(text: str, every: int) -> str:
    """The text with one character in so many replaced."""
    return "".join("某" if place % every == every - 1 else char for place, char in enumerate(text))
