"""Numbers in addresses."""

from werkzeug.routing import IntegerConverter


class Number(IntegerConverter):
    """``<int:…>``, of no more digits than any number that we give; an address with more is not found."""

    regex = r"\d{1,18}"
