"""Vertical text in the order in which it is read: columns from the right, each from above."""

from collections.abc import Sequence

from store.records import Box

Found = tuple[Box, str]  # a line, and what it says


def in_columns(found: Sequence[Found]) -> list[Found]:
    """The lines column by column. One column may have been found in pieces, at a comma or a wide gap."""
    columns: list[list[Found]] = []
    for line in sorted(found, key=lambda line: -_middle(line[0])):
        home = next((column for column in columns if _one_column(column[0][0], line[0])), None)
        if home is None:
            columns.append([line])
        else:
            home.append(line)
    return [line for column in columns for line in sorted(column, key=lambda line: line[0].top)]


def _one_column(one: Box, other: Box) -> bool:
    """Whether the middle of either stands above or below the other."""
    return one.left < _middle(other) < one.right or other.left < _middle(one) < other.right


def _middle(box: Box) -> float:
    return (box.left + box.right) / 2
