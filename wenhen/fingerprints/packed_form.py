"""Convert fingerprints of the earlier form to the packed form."""

from typing import Final

from wenhen.kit.mongo.codec import Document
from wenhen.kit.mongo.table import FORM_FIELD

FINGERPRINTS_COLLECTION: Final = "fingerprints"
PACKED_FORM: Final = 2  # the form in which features are packed


def packed_form_update(document: Document) -> Document:
    """Return the change that brings a document of the form of before into today's."""
    return {"$set": {**pack_features(document), FORM_FIELD: PACKED_FORM}, "$unset": {"id": ""}}


def pack_features(document: Document) -> Document:
    """Return the features of a document of the form of before, as they are kept today."""
    # A command that looks nothing up starts without NumPy.
    from fingerprinter.features.model import repack_features

    positions, values = repack_features(document["positions"], document["values"])
    return {"positions": positions, "values": values}
