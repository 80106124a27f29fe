"""Fingerprints of the form of before, which had whole numbers and the record's id, in today's."""

from typing import Final

from store.mongo.engine.codec import Document
from store.mongo.engine.table import FORM

NAME: Final = "fingerprints"
PACKED: Final = 2  # the form in which features are packed


def packing(document: Document) -> Document:
    """Return the change that brings a document of the form of before into today's."""
    return {"$set": {**packed(document), FORM: PACKED}, "$unset": {"id": ""}}


def packed(document: Document) -> Document:
    """Return the features of a document of the form of before, as they are kept today."""
    # A command that looks nothing up starts without NumPy.
    from store.rules.library.packed_features import repacked

    positions, values = repacked(document["positions"], document["values"])
    return {"positions": positions, "values": values}
