"""How ids are made from what a record is about."""

from hashlib import sha256

from store.records import Owner, OwnerKind

_WORK = f"{OwnerKind.WORK}:"  # before the id of a work where a page's would stand; ids of pages have no colon


def page_id(url: str) -> str:
    """Return the id of the page at this address: 32 hex digits of its SHA-256."""
    return sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def copy_id(copy: Owner) -> str:
    """How a match names the text that copies: a page by its id; a work, where both sides are works, as `work:ID`.

    >>> copy_id(Owner.of_page("9f86d081")), copy_id(Owner.of_work("9f86d081"))
    ('9f86d081', 'work:9f86d081')
    """
    return copy.id if copy.kind is OwnerKind.PAGE else str(copy)


def copy_named(id: str) -> Owner:
    """The text that a match names so; the reverse of `copy_id`."""
    return Owner.parse(id) if id.startswith(_WORK) else Owner.of_page(id)


def match_id(copy: Owner, work_id: str) -> str:
    """The id of what is known of a text against a work, and of the case that it opens."""
    return f"{copy_id(copy)}:{work_id}"


def fingerprint_id(owner: Owner, version: int, segment: int) -> str:
    """The id of the fingerprint of a segment of a version of a text; the same when it is made again."""
    return f"{owner}:{version}:{segment}"
