"""The reasons that a person is offered for a decision, by names that each language has its words for."""

from typing import Final

GROUNDS: Final = ("whole", "part", "disguised", "expression")  # of a confirmation, where it needs them
REASONS: Final = ("common", "quotation", "licensed", "chance")  # of a dismissal, each by a key
